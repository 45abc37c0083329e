import { expect, test } from 'vitest';
import { forSeries, readWorkspace, runMemo } from '#definitions';

const { images, series } = readWorkspace(new URL('../..', import.meta.url).pathname, runMemo());

test('every OpenStack project names a ref for every series its image exists in', () => {
  const projects = images.filter(({ python }) => python?.project !== undefined);
  expect(projects.length).toBeGreaterThan(5);
  const without = projects.flatMap(({ name, python, sources, series: own }) => {
    const refs = sources[python!.project!]!.refs;
    return series.map((each) => each.name).filter((each) => (own?.includes(each) ?? true) && refs[each] === undefined).map((each) => `${name} ${each}`);
  });
  expect(without).toEqual([]);
});

test('a stage that has packages in a stable series has some in master', () => {
  const stages = images.flatMap((image) => Object.entries(image.debian).map(([stage, { packages }]) => ({ where: `${image.name} ${stage}`, count: (name: string) => forSeries(packages, series.find((each) => each.name === name)!).length })));
  expect(stages.filter(({ count }) => count('master') !== count('2026.1')).map(({ where }) => where)).toEqual([]);
});

import { expect, it } from 'vitest';
import type { AppSpec } from '#definitions';
import { parseSite } from '#definitions/deploy';
import { sourceChanges, sourcesOf } from './plan-sources.ts';

const SITE =
  'schema: 1.0.0\ncluster: { context: x }\nnamespace: x\nseries: "2026.1"\nregistry: r\nregion: R\nroles: { a: [b] }\nstorage: { default: s }\napps: { web: {}, api: { app: base } }\n';
const specs = (...names: readonly string[]): ReadonlyMap<string, AppSpec> =>
  new Map(
    names.map((name) => [
      name,
      { name, position: () => ({ file: `images/${name}/app.yaml` }) } as unknown as AppSpec,
    ]),
  );
const of = (text: string, ...names: readonly string[]) =>
  sourcesOf(parseSite(text, 'site.yaml', 'x'), specs(...names));

it('compares plan files by content', () => {
  const before = of(SITE, 'web', 'base', 'other');
  expect(Object.keys(before)).toEqual(['site.yaml', 'images/base/app.yaml', 'images/web/app.yaml']);
  expect(sourceChanges(before, of(`# as it was\n${SITE}`, 'web', 'base'))).toEqual([]);
  expect(
    sourceChanges(before, of(SITE.replace('web: {}', 'web: { replicas: { web: 2 } }'), 'web')),
  ).toEqual(['images/base/app.yaml is no longer used', 'site.yaml was changed']);
});

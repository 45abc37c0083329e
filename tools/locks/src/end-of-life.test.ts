import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { imageName } from '#core';
import { endOfLifeLines, suiteEndOfLifeLines } from './end-of-life.ts';
import { MAINTENANCE, SUITES } from './maintenance.ts';
import type { DebianPackage } from './types.ts';

const linesOf = (
  name: string,
  version: string,
  today: string,
  suite = 'bookworm',
): readonly string[] =>
  endOfLifeLines(
    {
      image: imageName('db'),
      debian: { runtime: [{ name, version } as DebianPackage] },
    },
    suite,
    today,
  );

it('names a package after the last day of its maintenance, and not on it', () => {
  expect(linesOf('mariadb-server', '1:10.11.19-0+deb12u1', '2028-02-16')).toEqual([]);
  expect(linesOf('mariadb-server', '1:10.11.19-0+deb12u1', '2028-02-17')).toEqual([
    'db: mariadb-server 10.11 is past its end of life: upstream support ended on 2028-02-16; Debian 12 can fix security faults until 2028-06-30; upgrade to a newer series by then',
  ]);
});

it('does not promise fixes of a suite that is past its end or unknown', () => {
  const line =
    'db: mariadb-server 10.11 is past its end of life: upstream support ended on 2028-02-16; upgrade to a newer series';
  expect(linesOf('mariadb-server', '1:10.11.19-0+deb12u1', '2028-07-01')).toEqual([line]);
  expect(linesOf('mariadb-server', '1:10.11.19-0+deb12u1', '2028-02-17', 'sid')).toEqual([line]);
});

it('compares whole numbers of versions, and ignores other packages', () => {
  expect(linesOf('rabbitmq-server', '3.100.1-1', '2030-01-01')).toEqual([]);
  expect(linesOf('rabbitmq-client', '3.10.8-1', '2030-01-01')).toEqual([]);
});

it('names a suite after the last day of its security updates', () => {
  expect(suiteEndOfLifeLines('bookworm', '2028-06-30')).toEqual([]);
  expect(suiteEndOfLifeLines('bookworm', '2028-07-01')).toEqual([
    'Debian 12 (bookworm) is past its end of life: security updates ended on 2028-06-30; upgrade to a series on a newer suite',
  ]);
  expect(suiteEndOfLifeLines('sid', '2040-01-01')).toEqual([]);
});

it('has a real date and a source in each row, and a row for each suite of images/series.yaml', () => {
  for (const { until, source } of [...MAINTENANCE, ...Object.values(SUITES)]) {
    expect(new Date(until).toISOString().slice(0, 10)).toBe(until);
    expect(source).toMatch(/^https:\/\/[a-z.]+\//);
  }
  const text = readFileSync(new URL('../../../images/series.yaml', import.meta.url), 'utf8');
  const suites = [...text.matchAll(/^ +suite: (\S+)$/gm)].map(([, suite]) => suite);
  expect(Object.keys(SUITES)).toEqual(expect.arrayContaining(suites));
});

import { expect, it } from 'vitest';
import { imageName } from '#core';
import { endOfLifeLines } from './end-of-life.ts';
import type { DebianPackage } from './types.ts';

const linesOf = (name: string, version: string, today: string): readonly string[] =>
  endOfLifeLines(
    {
      image: imageName('db'),
      debian: { runtime: [{ name, version } as DebianPackage] },
    },
    today,
  );

it('names a package after the last day of its maintenance, and not on it', () => {
  expect(linesOf('mariadb-server', '1:10.11.19-0+deb12u1', '2028-02-16')).toEqual([]);
  expect(linesOf('mariadb-server', '1:10.11.19-0+deb12u1', '2028-02-17')).toEqual([
    'db: mariadb-server 10.11 is past its end of life: upstream support ended on 2028-02-16; plan an upgrade to a newer series',
  ]);
});

it('compares whole numbers of versions, and ignores other packages', () => {
  expect(linesOf('rabbitmq-server', '3.100.1-1', '2030-01-01')).toEqual([]);
  expect(linesOf('rabbitmq-client', '3.10.8-1', '2030-01-01')).toEqual([]);
});

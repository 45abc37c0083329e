import { existsSync, mkdirSync, mkdtempSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { imageName, series } from '#core';
import { statePaths } from './paths.ts';
import { removeLeftovers } from './remove-leftovers.ts';

it('removes partial files of killed runs next to state files and in the cache', () => {
  const root = mkdtempSync(join(tmpdir(), 'ccp-left-'));
  const [paths, cache] = [statePaths(root), join(root, 'cache')];
  const kept = [paths.memo, paths.record(series('2026.1'), imageName('a'))];
  const left = [
    ...kept.map((path) => `${path}.4194305.0123abcd.partial`),
    `${paths.tests(series('2026.1'))}.4194305.0123abcd.partial`,
    join(cache, 'temporary/4194305.0123456789abcdef'),
  ];
  for (const path of [...kept, ...left]) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, '');
    utimesSync(path, 1, 1);
  }
  expect(removeLeftovers(paths, cache)).toBe(4);
  expect([...kept, ...left].map((path) => existsSync(path))).toEqual([
    ...kept.map(() => true),
    ...left.map(() => false),
  ]);
});

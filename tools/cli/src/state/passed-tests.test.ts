import { appendFileSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { digestOf, imageName, series } from '#core';
import { openPassedTests } from './passed-tests.ts';
import { statePaths, type StatePaths } from './paths.ts';

const SERIES = series('2026.1');
const IMAGE = imageName('a');
const digest = (index: number) => digestOf(String(index));

let paths: StatePaths;

beforeEach(() => {
  paths = statePaths(mkdtempSync(join(tmpdir(), 'ccp-passed-')));
});

const known = (index: number, key = 'key') =>
  openPassedTests(paths, SERIES).known(IMAGE, digest(index), key);
const text = () => readFileSync(paths.tests(SERIES), 'utf8');

it('keeps the entries of 5,000 images and appends one line for each', () => {
  const passed = openPassedTests(paths, SERIES);
  passed.add(IMAGE, digest(0), 'key');
  const { ino } = statSync(paths.tests(SERIES));
  for (let index = 1; index < 5_000; index += 1) passed.add(IMAGE, digest(index), 'key');
  expect([known(0), known(0, 'other'), known(4_999), known(5_000)]).toEqual([
    'passed',
    'others',
    'passed',
    'nothing',
  ]);
  expect(statSync(paths.tests(SERIES)).ino).toBe(ino);
});

it('removes the entry of an image that failed a later run', () => {
  const passed = openPassedTests(paths, SERIES);
  passed.add(IMAGE, digest(1), 'key');
  passed.remove(IMAGE, digest(1));
  passed.remove(IMAGE, digest(2));
  expect(text()).toBe(`ccp-tests 2\na@${digest(1)} key\na@${digest(1)}\n`);
  expect([passed.known(IMAGE, digest(1), 'key'), known(1)]).toEqual(['nothing', 'nothing']);
});

it('ignores an incomplete last line and adds no entry to it', () => {
  openPassedTests(paths, SERIES).add(IMAGE, digest(1), 'key');
  appendFileSync(paths.tests(SERIES), `a@${digest(2)} ke`);
  expect([known(1), known(2)]).toEqual(['passed', 'nothing']);
  openPassedTests(paths, SERIES).add(IMAGE, digest(3), 'key');
  expect([known(1), known(2), known(3)]).toEqual(['passed', 'nothing', 'passed']);
});

it('reads a file of format 1 and writes it in format 2', () => {
  openPassedTests(paths, SERIES).add(IMAGE, digest(9), 'key');
  writeFileSync(
    paths.tests(SERIES),
    JSON.stringify({ format: 1, passed: { [`a@${digest(1)}`]: 'key', b: 7 } }),
  );
  expect(known(1)).toBe('passed');
  openPassedTests(paths, SERIES).add(IMAGE, digest(2), 'key');
  expect(text()).toBe(`ccp-tests 2\na@${digest(1)} key\na@${digest(2)} key\n`);
});

it('forgets images that are no longer stored, and replaced entries', () => {
  const passed = openPassedTests(paths, SERIES);
  for (let index = 0; index < 600; index += 1) passed.add(IMAGE, digest(index), 'old');
  const stored = [{ image: IMAGE, digest: digest(1) }];
  passed.compact(stored);
  expect(known(0, 'old')).toBe('passed');
  for (let index = 0; index < 600; index += 1) passed.add(IMAGE, digest(index), 'key');
  passed.compact(stored);
  expect(text()).toBe(`ccp-tests 2\na@${digest(1)} key\n`);
  passed.add(IMAGE, digest(2), 'key');
  expect([known(0), known(1), known(2)]).toEqual(['nothing', 'passed', 'passed']);
});

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { digestOf, errorText, imageName, series } from '#core';
import { openFailures } from './failures.ts';
import { readIfThere } from './files.ts';
import { openPassedTests } from './passed-tests.ts';
import { statePaths } from './paths.ts';
import { openRecords } from './records.ts';

const IMAGE = imageName('a');
const SERIES = series('2026.1');

it.each<[string, (path: string) => void]>([
  ['a named pipe', (path) => execFileSync('mkfifo', [path])],
  ['an endless device', (path) => symlinkSync('/dev/zero', path)],
])('treats %s instead of a state file as missing, without waiting', (_, make) => {
  const paths = statePaths(mkdtempSync(join(tmpdir(), 'ccp-state-')));
  for (const path of [
    paths.record(SERIES, IMAGE),
    paths.failure(SERIES, IMAGE),
    paths.tests(SERIES),
  ]) {
    mkdirSync(dirname(path), { recursive: true });
    make(path);
  }
  expect([
    openRecords(paths, SERIES).get(IMAGE),
    openFailures(paths, SERIES).get(IMAGE),
    openPassedTests(paths, SERIES).known(IMAGE, digestOf('x'), 'key'),
  ]).toEqual([undefined, undefined, 'nothing']);
  const path = paths.durations;
  make(path);
  let text = '';
  try {
    readIfThere(path);
  } catch (thrown) {
    text = errorText(thrown);
  }
  expect(text).toBe(
    `ccp: cannot read ${path}: it is not a regular file\n  -> remove it, or name a regular file`,
  );
});

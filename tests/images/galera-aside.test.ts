import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MODULES } from './galera-cases.ts';

const FOLDER = 'aside-2026-01-02T03:04:05Z-u-90';
let volume: string;
beforeEach(() => {
  volume = mkdtempSync(join(tmpdir(), 'ccp-aside-'));
  mkdirSync(join(volume, 'data'));
});
afterEach(() => rmSync(volume, { recursive: true }));

const fill = (name: string): void => {
  mkdirSync(join(volume, name));
  writeFileSync(join(volume, name, 'ibdata1'), '');
};
// The end of the output is the end of the process in the background too.
const aside = (call: string): string =>
  execFileSync(
    'perl',
    [`-I${MODULES}`, '-MGalera::Aside', '-we', `print Galera::Aside::${call} ? 1 : 0`],
    { encoding: 'utf8' },
  );

it('removes data that was set aside, also after an interrupted removal', () => {
  fill(FOLDER);
  fill('removed');
  expect(aside(`remove('${volume}', '${FOLDER}')`)).toBe('1');
  expect(readdirSync(volume).sort()).toEqual(['data', 'removed']);
});

it('refuses to remove a folder that was not set aside', () => {
  expect(aside(`remove('${volume}', 'data')`)).toBe('0');
  expect(aside(`remove('${volume}', '${FOLDER}')`)).toBe('0');
  expect(readdirSync(volume)).toEqual(['data']);
});

it('completes the removals that a restart interrupted', () => {
  for (const name of ['removed', `removed-${FOLDER}`, FOLDER]) fill(name);
  expect(aside(`remove_leftovers('${volume}')`)).toBe('1');
  expect(readdirSync(volume).sort()).toEqual([FOLDER, 'data']);
});

import { chmodSync, chownSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { errorText } from '#core';
import { requirePrivate, otherWriters } from './require-private.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-host-'));
  mkdirSync(join(folder, 'below'));
  writeFileSync(join(folder, 'below/program'), '', { mode: 0o755 });
});
const fault = (path = 'below/program'): string | undefined =>
  otherWriters(join(folder, path))?.replaceAll(folder, 'FOLDER');

it('accepts files that only this user and root can replace, also in a sticky folder and behind a link', () => {
  expect([fault(), otherWriters('/bin/sh')]).toEqual([undefined, undefined]);
  chmodSync(folder, 0o1777);
  symlinkSync('below', join(folder, 'link'));
  expect(fault('link/program')).toBeUndefined();
});

it.each<[string, () => void, string]>([
  [
    'a program that everyone can write',
    () => chmodSync(join(folder, 'below/program'), 0o757),
    'FOLDER/below/program can be written by everyone (mode 757)',
  ],
  [
    'a folder above it that everyone can write',
    () => chmodSync(folder, 0o777),
    'FOLDER can be written by everyone (mode 777)',
  ],
])('reports %s', (_, change, expected) => {
  change();
  expect(fault()).toBe(expected);
});

it.runIf(process.getuid?.() === 0).each<[string, () => void, string]>([
  [
    'a program of another user',
    () => chownSync(join(folder, 'below/program'), 1001, 0),
    'FOLDER/below/program belongs to user 1001',
  ],
  [
    'a folder above it that a group can write',
    () => (chownSync(join(folder, 'below'), 0, 1001), chmodSync(join(folder, 'below'), 0o775)),
    'FOLDER/below can be written by group 1001 (mode 775)',
  ],
  [
    'a link to a folder of another user',
    () => {
      mkdirSync(join(folder, 'theirs'));
      writeFileSync(join(folder, 'theirs/program'), '');
      chownSync(join(folder, 'theirs'), 1001, 0);
      chmodSync(join(folder, 'below/program'), 0o755);
    },
    'FOLDER/theirs belongs to user 1001',
  ],
])('reports %s (needs root to change owners)', (_, change, expected) => {
  change();
  symlinkSync('theirs', join(folder, 'link'));
  expect(fault(expected.includes('theirs') ? 'link/program' : undefined)).toBe(expected);
});

it('refuses a program that others could replace or create, by name', () => {
  chmodSync(folder, 0o777);
  let text = '';
  try {
    requirePrivate(join(folder, 'below/program'), 'the program uv');
  } catch (thrown) {
    text = errorText(thrown).replaceAll(folder, 'FOLDER');
  }
  expect(text).toBe(
    'ccp: the program uv is not used, because other users could have replaced it: FOLDER can be written by everyone (mode 777)\n  -> remove write access for other users (chmod go-w, chown), or set CCP_CACHE to a folder that only this user can write to',
  );
  expect(fault('none/program')).toBe('FOLDER can be written by everyone (mode 777)');
});

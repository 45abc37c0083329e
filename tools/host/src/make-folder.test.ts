import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';

it('creates a folder and its parents, also if they exist', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'ccp-host-')), 'a/b/c');
  makeFolder(path);
  makeFolder(path);
  expect(existsSync(path)).toBe(true);
});

it.each([
  ['a file at its place', 'file', 'EEXIST'],
  ['a file above it', 'file/a', 'ENOTDIR'],
])('throws the system error of %s', (_, below, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-host-'));
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(join(folder, below))).toThrow(expect.objectContaining({ code }));
});

it('throws the error of a folder that the kernel refuses', () => {
  expect(() => makeFolder('/proc/ccp/a')).toThrow(
    expect.objectContaining({ code: 'ENOENT', path: '/proc/ccp' }),
  );
});

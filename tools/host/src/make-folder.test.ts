import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeFolder } from './make-folder.ts';

it('makes a folder and those above it, again without an error', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'ccp-host-')), 'a/b/c');
  makeFolder(path);
  makeFolder(path);
  expect(existsSync(path)).toBe(true);
});

it.each([
  ['a file at its place', 'file', 'EEXIST'],
  ['a file above it', 'file/a', 'ENOTDIR'],
])('raises what the system says of %s', (_, below, code) => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-host-'));
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(join(folder, below))).toThrow(expect.objectContaining({ code }));
});

it('is told by the kernel where no folder can be made, and ends', () => {
  expect(() => makeFolder('/proc/ccp/a')).toThrow(expect.objectContaining({ code: 'ENOENT', path: '/proc/ccp' }));
});

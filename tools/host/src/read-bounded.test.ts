import { execFileSync } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { errorText } from '#core';
import { readBounded } from './read-bounded.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-host-'));
const textOf = (path: string, maxBytes?: number): string => {
  try {
    return readBounded(path, maxBytes).toString();
  } catch (thrown) {
    return errorText(thrown).replaceAll(folder, 'FOLDER');
  }
};

it('reads a file, an empty file, a link to a file and a file of the kernel', () => {
  writeFileSync(join(folder, 'file'), 'text');
  writeFileSync(join(folder, 'empty'), '');
  symlinkSync('file', join(folder, 'link'));
  expect(['file', 'empty', 'link'].map((name) => textOf(join(folder, name)))).toEqual([
    'text',
    '',
    'text',
  ]);
  expect(textOf('/proc/self/stat')).toMatch(new RegExp(`^${process.pid} `));
});

it('refuses a named pipe, a device and an endless file without waiting', () => {
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  symlinkSync('/dev/zero', join(folder, 'zero'));
  const refused = (name: string): string =>
    `ccp: cannot read FOLDER/${name}: it is not a regular file\n  -> remove it, or name a regular file`;
  expect([textOf(join(folder, 'pipe')), textOf(join(folder, 'zero'))]).toEqual([
    refused('pipe'),
    refused('zero'),
  ]);
  expect(textOf(join(folder, 'file'), 4)).toBe('text');
  expect(textOf(join(folder, 'file'), 3)).toBe(
    'ccp: cannot read FOLDER/file: it is larger than 3 bytes\n  -> remove it, or name another file',
  );
  // Its size is 0, and it does not end.
  expect(textOf('/proc/self/mountinfo', 10)).toContain('it is larger than 10 bytes');
});

it('throws system errors unchanged', () => {
  expect(() => readBounded(join(folder, 'none'))).toThrow(
    expect.objectContaining({ code: 'ENOENT' }),
  );
  expect(() => readBounded(folder)).toThrow(expect.objectContaining({ code: 'EISDIR' }));
});

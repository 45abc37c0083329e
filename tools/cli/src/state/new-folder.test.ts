import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { writeNewFolder } from './new-folder.ts';

const files = [
  { path: 'a', text: '1' },
  { path: 'b/c', text: '2' },
];

it('writes files to a new or empty folder, and refuses another one', () => {
  const top = mkdtempSync(join(tmpdir(), 'ccp-new-folder-'));
  mkdirSync(join(top, 'empty'));
  for (const name of ['empty', 'new']) {
    const folder = join(top, name);
    writeNewFolder(folder, files);
    expect(readFileSync(join(folder, 'b/c'), 'utf8')).toBe('2');
    expect(() => writeNewFolder(folder, files)).toThrow(`${folder} is not empty`);
  }
});

it('leaves nothing behind after an error', () => {
  const top = mkdtempSync(join(tmpdir(), 'ccp-new-folder-'));
  writeFileSync(join(top, 'file'), '');
  expect(() => writeNewFolder(join(top, 'file/x'), files)).toThrow('cannot write');
  expect(() => writeNewFolder(join(top, 'new'), [...files, { path: 'a/d', text: '' }])).toThrow(
    'cannot write',
  );
  expect(() => writeNewFolder(join(top, 'file'), files)).toThrow(
    `cannot use ${join(top, 'file')}: a part of its path is a file`,
  );
  expect(readdirSync(top)).toEqual(['file']);
});

it('writes no file that a killed run left', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'ccp-new-folder-')), 'new');
  mkdirSync(`${folder}.partial-${process.pid}`);
  writeFileSync(join(`${folder}.partial-${process.pid}`, 'old'), '');
  writeNewFolder(folder, files);
  expect(readdirSync(folder)).toEqual(['a', 'b']);
});

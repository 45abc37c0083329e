import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { memoryMemo } from '#ports/testing';
import { sampleImage } from '../testing/image-folder.ts';
import { FILE_LIMITS } from './file-budget.ts';
import { listFiles, listFolder } from './list-files.ts';
import { listTree } from './list-tree.ts';

const HINT = 'add large or many files as a locked input of the image, or create them in a RUN step';
const SMALL = { fileBytes: 10, totalBytes: 25, entries: 4 };

/** The finding of a folder with files of these sizes. */
function finding(sizes: Readonly<Record<string, number>>): unknown {
  const { folder } = sampleImage(
    Object.fromEntries(
      Object.entries(sizes).map(([path, size]) => [`sample/files/${path}`, 'x'.repeat(size)]),
    ),
  );
  try {
    return listFolder(join(folder, 'files'), join(folder, '../..'), memoryMemo(), {
      limits: SMALL,
    }).map(({ path }) => path);
  } catch (thrown) {
    return thrown;
  }
}

it('lists a folder at its limits', () => {
  expect(finding({ 'a/b': 10, 'a/c': 10, d: 5 })).toEqual(['a', 'a/b', 'a/c', 'd']);
});

it.each([
  [{ 'etc/large': 11 }, 'etc/large', 'has 11 bytes, more than the limit of 10'],
  [
    { a: 9, b: 10, c: 8 },
    '',
    'has files of more than 25 bytes in total, which is the limit; the largest is images/sample/files/b with 10',
  ],
  [
    { 'a/b': 1, 'a/c': 1, d: 1, e: 1 },
    '',
    'has more than 4 files, folders and links, which is the limit',
  ],
])('refuses a folder with the files %j', (sizes, path, reason) => {
  const file = join('images/sample/files', path);
  expect(finding(sizes)).toMatchObject({
    code: 'context-invalid',
    message: `${file} ${reason}`,
    hint: HINT,
    at: { file },
  });
});

it('refuses a large file below files/ and in the tree before reading it', () => {
  const definition = sampleImage(
    { 'sample/files/disk.img': '', 'other/disk.img': '' },
    { tree: ['images/other/disk.img'] },
  );
  const size = FILE_LIMITS.fileBytes + 1;
  for (const path of ['files/disk.img', '../other/disk.img'])
    truncateSync(join(definition.folder, path), size);
  const memo = {
    fileSha256: (): never => {
      throw new Error('the file was read');
    },
  };
  const reason = `has ${size} bytes, more than the limit of ${FILE_LIMITS.fileBytes}`;
  expect(() => listFiles(definition, memo)).toThrow(`images/sample/files/disk.img ${reason}`);
  expect(() => listTree(definition, memo)).toThrow(`images/other/disk.img ${reason}`);
});

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '#core';

/**
 * Creates a folder and its parents; an existing folder is not an error. Throws errors of the
 * system. Parents are created one by one, because `recursive` of Node fails with ENOENT on a
 * read-only file system (checked on 24.19).
 */
export function makeFolder(path: string): void {
  if (isFolder(path)) return;
  const above = dirname(path);
  if (!existsSync(above)) makeFolder(above);
  try {
    mkdirSync(path);
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST' || !isFolder(path)) throw thrown;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

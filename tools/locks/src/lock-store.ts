import { existsSync, lstatSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { CcpError, codeOf, fileFault, describeNonFile, type Series } from '#core';
import { makeFolder, readBounded, replaceFile } from '#host';
import type { ImageDefinition } from '#definitions';
import { fileName } from './file-name.ts';
import { parseLock, renderLock } from './lock-file.ts';
import type { Lock } from './types.ts';

type Located = Pick<ImageDefinition, 'name' | 'folder' | 'layers'>;

/** Path of the lock to read, relative to the workspace, for messages. */
export function lockFileName(definition: Located, series: Series): string {
  return fileName(definition, lockPath(definition, series));
}

/**
 * Absolute path of the lock to read; with overlaid workspaces, the lock of the topmost workspace
 * that has one.
 */
export function lockPath({ folder, layers }: Located, series: Series): string {
  if (layers === undefined) return join(folder, 'lock', `${series}.yaml`);
  const paths = layers.locks.map((locks) => join(locks, `${series}.yaml`));
  return paths.find((path) => existsSync(path)) ?? paths[0]!;
}

/** Absolute path of the lock to write, in the current workspace. */
function writtenPath({ folder, layers }: Located, series: Series): string {
  return join(layers?.locks[0] ?? join(folder, 'lock'), `${series}.yaml`);
}

/**
 * Reads the status of the lock at `path`; `undefined` if it does not exist. `file` is its name in
 * messages. Raises `definition-invalid` if the lock or its folder is a link, which could point
 * outside the repository, or if the lock is not a regular file.
 */
export function lockStat(path: string, file: string): Stats | undefined {
  const invalid = (name: string, stat: Stats): CcpError => {
    const message = `${name} ${describeNonFile(stat)}`;
    return new CcpError({
      code: 'definition-invalid',
      message,
      hint: 'store lock files in the image folder, without links',
      at: { file: name },
    });
  };
  const folder = lstatSync(dirname(path), { throwIfNoEntry: false });
  if (folder?.isSymbolicLink() === true) throw invalid(dirname(file), folder);
  const stat =
    folder?.isDirectory() === true ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
  if (stat?.isFile() === false) throw invalid(file, stat);
  return stat;
}

/**
 * Reads and checks a lock. Raises `lock-missing`, and the errors of `parseLock` and `fileFault`.
 */
export function readLock(definition: Located, series: Series): Lock {
  const file = lockFileName(definition, series);
  try {
    return parseLock(
      readBounded(lockPath(definition, series)).toString(),
      file,
      definition.name,
      series,
    );
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw fileFault(thrown, 'read', file);
    throw new CcpError({
      code: 'lock-missing',
      message: `${definition.name} has no lock for ${series}`,
      hint: `run: ccp lock ${definition.name} --series ${series}`,
      at: { file },
    });
  }
}

/**
 * Writes a lock atomically; `true` if the bytes differ from the lock that `readLock` finds.
 * Overlaid workspaces are never written to. Raises the errors of `fileFault`.
 */
export function writeLock(definition: Located, lock: Lock): boolean {
  const path = writtenPath(definition, lock.series);
  const file = fileName(definition, path);
  lockStat(path, file);
  const text = renderLock(lock);
  try {
    if (readBounded(lockPath(definition, lock.series)).toString() === text) return false;
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT')
      throw fileFault(thrown, 'read', lockFileName(definition, lock.series));
  }
  try {
    makeFolder(dirname(path));
    replaceFile(path, text);
  } catch (thrown) {
    throw fileFault(thrown, 'write', file);
  }
  return true;
}

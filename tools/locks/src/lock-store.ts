import { existsSync, lstatSync, readFileSync, type Stats } from 'node:fs';
import { dirname, join } from 'node:path';
import { CcpError, codeOf, fileFault, insteadOfFile, type Series } from '#core';
import { makeFolder, replaceFile } from '#host';
import type { ImageDefinition } from '#definitions';
import { fileName } from './file-name.ts';
import { parseLock, renderLock } from './lock-file.ts';
import type { Lock } from './types.ts';

type Located = Pick<ImageDefinition, 'name' | 'folder' | 'layers'>;

/** The path of the lock that is read, relative to the workspace, for messages. */
export function lockFileName(definition: Located, series: Series): string {
  return fileName(definition, lockPath(definition, series));
}

/** Absolute path of the lock that is read: where workspaces overlay one another, the uppermost there is. */
export function lockPath({ folder, layers }: Located, series: Series): string {
  if (layers === undefined) return join(folder, 'lock', `${series}.yaml`);
  const paths = layers.locks.map((locks) => join(locks, `${series}.yaml`));
  return paths.find((path) => existsSync(path)) ?? paths[0]!;
}

/** Absolute path of the lock that is written, which the workspace of the run holds. */
function writtenPath({ folder, layers }: Located, series: Series): string {
  return join(layers?.locks[0] ?? join(folder, 'lock'), `${series}.yaml`);
}

/**
 * What the lock at `path` is, which messages name `file`; `undefined` where there is none. Raises `definition-invalid` for a link in
 * place of it or its folder, since what that leads to may lie outside of the repository, and for what is no file.
 */
export function lockStat(path: string, file: string): Stats | undefined {
  const refuse = (name: string, stat: Stats): CcpError => {
    const message = `${name} ${insteadOfFile(stat)}`;
    return new CcpError({
      code: 'definition-invalid',
      message,
      hint: 'locks lie in a folder of their image: put the files themselves there',
      at: { file: name },
    });
  };
  const folder = lstatSync(dirname(path), { throwIfNoEntry: false });
  if (folder?.isSymbolicLink() === true) throw refuse(dirname(file), folder);
  const stat = folder?.isDirectory() === true ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
  if (stat?.isFile() === false) throw refuse(file, stat);
  return stat;
}

/** Reads and checks a lock. Raises `lock-missing` beside what `parseLock` raises and `fileFault` says. */
export function readLock(definition: Located, series: Series): Lock {
  const file = lockFileName(definition, series);
  try {
    return parseLock(readFileSync(lockPath(definition, series), 'utf8'), file, definition.name, series);
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
 * Writes a lock under its name, whole or not at all; true where the bytes differ from those of the lock that was read before.
 * What a workspace overlays is never written to. Raises what `fileFault` says.
 */
export function writeLock(definition: Located, lock: Lock): boolean {
  const path = writtenPath(definition, lock.series);
  const file = fileName(definition, path);
  lockStat(path, file);
  const text = renderLock(lock);
  try {
    if (readFileSync(lockPath(definition, lock.series), 'utf8') === text) return false;
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw fileFault(thrown, 'read', lockFileName(definition, lock.series));
  }
  try {
    makeFolder(dirname(path));
    replaceFile(path, text);
  } catch (thrown) {
    throw fileFault(thrown, 'write', file);
  }
  return true;
}

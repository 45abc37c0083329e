import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CcpError, codeOf, type ImageName, type Series } from '#core';
import type { ImageDefinition } from '#definitions';
import { parseLock, renderLock } from './lock-file.ts';
import type { Lock } from './types.ts';

type Located = Pick<ImageDefinition, 'name' | 'folder'>;

/** The lock's path relative to the repository, for messages. */
export function lockFileName(image: ImageName, series: Series): string {
  return `images/${image}/lock/${series}.yaml`;
}

/** The lock's absolute path. */
export function lockPath(definition: Located, series: Series): string {
  return join(definition.folder, 'lock', `${series}.yaml`);
}

/** Reads and checks a lock. Raises `lock-missing` beside what `parseLock` raises. */
export function readLock(definition: Located, series: Series): Lock {
  const file = lockFileName(definition.name, series);
  try {
    return parseLock(readFileSync(lockPath(definition, series), 'utf8'), file, definition.name, series);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown;
    throw new CcpError({
      code: 'lock-missing',
      message: `${definition.name} has no lock for ${series}`,
      hint: `run: ccp lock ${definition.name} --series ${series}`,
      at: { file },
    });
  }
}

/** Writes a lock under its name, whole or not at all; true where the bytes differ from what was there. */
export function writeLock(definition: Located, lock: Lock): boolean {
  const path = lockPath(definition, lock.series);
  const text = renderLock(lock);
  try {
    if (readFileSync(path, 'utf8') === text) return false;
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown;
  }
  mkdirSync(dirname(path), { recursive: true });
  const partial = `${path}.${randomBytes(6).toString('hex')}.partial`;
  try {
    writeFileSync(partial, text, { flush: true });
    renameSync(partial, path);
  } finally {
    rmSync(partial, { force: true });
  }
  return true;
}

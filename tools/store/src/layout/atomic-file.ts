import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { storeFault } from './store-fault.ts';

/**
 * Writes a small file so that after a kill at any time `path` has its old content or all of the new. `scratch` is a folder
 * on the same disk for the file in the making. Unless `lasting` is false, the content also outlives a loss of power. Raises
 * `store-full`.
 */
export function writeFileAtomic(path: string, data: string | Uint8Array, scratch: string, lasting = true): void {
  const temporary = join(scratch, randomUUID());
  try {
    const file = openSync(temporary, 'wx', 0o644);
    try {
      const bytes = Buffer.from(data);
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
      if (lasting) fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw storeFault(thrown, path);
  }
}

/** Makes the names in a folder outlive a loss of power; the files' content was flushed when they were written. */
export function flushFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

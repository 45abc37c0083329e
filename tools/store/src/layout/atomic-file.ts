import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '#host';
import { storeFault } from '../store-fault.ts';

/**
 * Writes a small file atomically: after a kill or a power loss `path` has either its old content or
 * all of the new. `scratch` is a folder on the same disk for the temporary file. Throws
 * `store-full`.
 */
export async function writeFileAtomic(path: string, data: string, scratch: string): Promise<void> {
  const temporary = join(scratch, randomUUID());
  try {
    const file = await open(temporary, 'wx', 0o644);
    try {
      await file.writeFile(data);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (thrown) {
    await rm(temporary, { force: true });
    throw storeFault(thrown, path);
  }
}

/** Synchronous `writeFileAtomic` without a flush: a power loss can destroy the file. */
export function writeFileAtomicSync(path: string, data: string, scratch: string): void {
  try {
    replaceFile(path, data, { flush: false, scratch });
  } catch (thrown) {
    throw storeFault(thrown, path);
  }
}

/** Flushes a file's content, or a folder's entries, to the disk. */
export async function flushPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { storeFault } from './store-fault.ts';

/**
 * Writes a small file so that after a kill at any time `path` has its old content or all of the new, and after a loss of power
 * too. `scratch` is a folder on the same disk for the file in the making. Raises `store-full`.
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

/** As `writeFileAtomic` at once, of a file that a loss of power may cost. */
export function replaceFile(path: string, data: string, scratch: string): void {
  const temporary = join(scratch, randomUUID());
  try {
    writeFileSync(temporary, data, { flag: 'wx', mode: 0o644 });
    renameSync(temporary, path);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw storeFault(thrown, path);
  }
}

/** Makes a file's content, or the names in a folder, outlive a loss of power. */
export async function flushPath(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

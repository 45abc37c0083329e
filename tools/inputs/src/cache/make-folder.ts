import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '#core';

/**
 * Makes a folder and those above it; no error where it is there. Raises what the system says: Node's own `recursive` answers
 * ENOENT on a read-only file system (checked on 24.19).
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw cause;
    await mkdir(await firstMissing(path));
    throw cause;
  }
}

async function firstMissing(path: string): Promise<string> {
  const above = dirname(path);
  return above === path || (await stat(above).catch(() => undefined)) !== undefined ? path : firstMissing(above);
}

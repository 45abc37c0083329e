import { statSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { codeOf } from '#core';

/** Resolution of the last-use time, so that not every read writes to the disk. */
const STEP_MS = 3_600_000;

/**
 * Records the use of a cache file in its modification time, if this user has permission; `false` if
 * the file does not exist.
 */
export async function recordCacheUse(path: string): Promise<boolean> {
  const now = Date.now();
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (now - stat.mtimeMs < STEP_MS) return true;
  await utimes(path, now / 1000, now / 1000).catch((cause: unknown) => {
    if (!['EPERM', 'EACCES', 'EROFS', 'ENOENT'].includes(codeOf(cause) ?? '')) throw cause;
  });
  return true;
}

import { statSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { codeOf } from '#core';

/** A file's time is its last use, kept to this step so that reading does not write each time. */
const STEP_MS = 3_600_000;

/** Notes that something of the cache was used by the time of its file, as far as this user may; `false` where the file is not there. */
export async function noteUse(path: string): Promise<boolean> {
  const now = Date.now();
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  if (now - stat.mtimeMs < STEP_MS) return true;
  await utimes(path, now / 1000, now / 1000).catch((cause: unknown) => {
    if (!['EPERM', 'EACCES', 'EROFS', 'ENOENT'].includes(codeOf(cause) ?? '')) throw cause;
  });
  return true;
}

import { randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '#core';
import { MIRROR_MARK } from '../git/mirror-mark.ts';
import { filesBelow } from './cache-usage.ts';

/**
 * Removes the git mirrors in the folders of all users below `folder` whose last use lies before `before` (milliseconds since
 * 1970); resolves with the bytes freed. One of another user, which this one may not touch, stays.
 */
export async function pruneMirrors(folder: string, before: number): Promise<number> {
  let freed = 0;
  for (const user of await foldersIn(folder)) {
    for (const mirror of await foldersIn(user)) {
      const mark = await stat(join(mirror, MIRROR_MARK)).catch(() => stat(mirror).catch(() => undefined));
      if (mark === undefined || mark.mtimeMs > before) continue;
      freed += await removeMirror(mirror);
    }
  }
  return freed;
}

/** Under another name first, so that no run finds half a mirror; what a killed one left is as old as its mark. */
async function removeMirror(mirror: string): Promise<number> {
  const doomed = `${mirror}.${randomBytes(6).toString('hex')}`;
  try {
    await rename(mirror, doomed);
  } catch (cause) {
    if (['EACCES', 'EPERM', 'ENOENT'].includes(codeOf(cause) ?? '')) return 0;
    throw cause;
  }
  let size = 0;
  for await (const file of filesBelow(doomed)) size += file.size;
  await rm(doomed, { recursive: true, force: true });
  return size;
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
}

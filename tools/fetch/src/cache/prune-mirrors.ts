import { randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '#core';
import { filesBelow } from './cache-usage.ts';
import { MIRROR_MARK } from './mirror-mark.ts';

/**
 * Removes the git mirrors of all users below `folder` that were last used before `before`
 * (milliseconds since 1970); resolves with the bytes freed. Mirrors that this user has no
 * permission to remove are kept.
 */
export async function pruneMirrors(folder: string, before: number): Promise<number> {
  let freed = 0;
  for (const user of await foldersIn(folder)) {
    for (const mirror of await foldersIn(user)) {
      const mark = await stat(join(mirror, MIRROR_MARK)).catch(() =>
        stat(mirror).catch(() => undefined),
      );
      if (mark === undefined || mark.mtimeMs > before) continue;
      freed += await removeMirror(mirror);
    }
  }
  return freed;
}

/**
 * Renames the mirror first, so that no process finds half a mirror; if pruning is killed, the
 * remainder keeps its mark's age and is pruned next time.
 */
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

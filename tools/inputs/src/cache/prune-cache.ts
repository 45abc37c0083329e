import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sha256 } from '#core';
import type { CachePrune } from './cache.ts';
import { filesBelow } from './cache-usage.ts';

/** What a killed run left is removed after this time; a living one writes more often. */
const ABANDONED_MS = 24 * 3_600_000;

/** Removes entries that are not kept and not used lately, abandoned files, and names of derived bytes that are gone; resolves with the bytes freed. */
export async function pruneCache(folder: string, { keep, olderThanMs }: CachePrune): Promise<number> {
  const now = Date.now();
  let freed = 0;
  const left = new Set<string>();
  for await (const file of filesBelow(join(folder, 'sha256'))) {
    if (keep?.has(file.name as Sha256) === true || now - file.mtimeMs < olderThanMs) left.add(file.name);
    else {
      await rm(file.path, { force: true });
      freed += file.size;
    }
  }
  for (const name of ['partial', 'temporary']) {
    for await (const file of filesBelow(join(folder, name))) {
      if (now - file.mtimeMs < ABANDONED_MS) continue;
      await rm(file.path, { force: true });
      freed += file.size;
    }
  }
  for await (const file of filesBelow(join(folder, 'derived'))) {
    if (!left.has(await readFile(file.path, 'utf8'))) await rm(file.path, { force: true });
  }
  return freed;
}

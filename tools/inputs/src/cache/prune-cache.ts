import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CachePrune } from './cache.ts';
import { filesBelow } from './cache-usage.ts';
import { derivedName } from './derived-name.ts';
import { pruneMirrors } from './prune-mirrors.ts';

/** What a killed run left is removed after this time; a living one writes more often. */
const ABANDONED_MS = 24 * 3_600_000;

/**
 * Removes entries that are not kept and not used lately, git mirrors not used lately, abandoned files, and names of derived bytes
 * that are gone; resolves with the bytes freed.
 */
export async function pruneCache(folder: string, { keep, keepDerived = new Set(), olderThanMs }: CachePrune): Promise<number> {
  const now = Date.now();
  const kept = new Set<string>(keep);
  const named = new Set([...keepDerived].map(derivedName));
  for await (const file of filesBelow(join(folder, 'derived'))) {
    if (named.has(file.name)) kept.add(await readFile(file.path, 'utf8').catch(() => ''));
  }
  let freed = await pruneMirrors(join(folder, 'git'), now - olderThanMs);
  const left = new Set<string>();
  for await (const file of filesBelow(join(folder, 'sha256'))) {
    if (kept.has(file.name) || now - file.mtimeMs < olderThanMs) left.add(file.name);
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

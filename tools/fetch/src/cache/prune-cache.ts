import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readBounded } from '#host';
import type { CachePrune } from './cache.ts';
import { filesBelow } from './cache-usage.ts';
import { derivedName } from './derived-name.ts';
import { pruneMirrors } from './prune-mirrors.ts';

/** Age at which unfinished files are removed; a running process writes more often. */
const ABANDONED_MS = 24 * 3_600_000;

/**
 * Removes unused entries and git mirrors, abandoned files, and derived keys whose entry was
 * removed; resolves with the bytes freed.
 */
export async function pruneCache(
  folder: string,
  { keep, keepDerived = new Set(), olderThanMs }: CachePrune,
): Promise<number> {
  const now = Date.now();
  const kept = new Set<string>(keep);
  const named = new Set([...keepDerived].map(derivedName));
  for await (const file of filesBelow(join(folder, 'derived'))) {
    if (named.has(file.name)) kept.add(derivedIn(file.path));
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
    if (!left.has(derivedIn(file.path))) await rm(file.path, { force: true });
  }
  return freed;
}

/** The SHA-256 stored in a derived key's file; empty if the file cannot be read. */
function derivedIn(path: string): string {
  try {
    return readBounded(path, 64).toString();
  } catch {
    return '';
  }
}

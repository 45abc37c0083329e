import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '#core';
import type { CacheUsage } from './cache.ts';

/** A file below a folder of the cache. */
export interface CacheFile {
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/**
 * Yields every file below `folder`; nothing if the folder does not exist. Files deleted meanwhile
 * are skipped.
 */
export async function* filesBelow(folder: string): AsyncGenerator<CacheFile> {
  let names;
  try {
    names = await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return;
    throw cause;
  }
  for (const entry of names) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else {
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined)
        yield { path, name: entry.name, size: found.size, mtimeMs: found.mtimeMs };
    }
  }
}

/** Measures the cache's contents. */
export async function cacheUsage(folder: string): Promise<CacheUsage> {
  let entries = 0;
  const total = async (name: string, each?: () => void): Promise<number> => {
    let size = 0;
    for await (const file of filesBelow(join(folder, name))) {
      size += file.size;
      each?.();
    }
    return size;
  };
  const size = await total('sha256', () => entries++);
  const unfinished = (await total('partial')) + (await total('temporary'));
  return { folder, entries, size, unfinished, git: await total('git') };
}

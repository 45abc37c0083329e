import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CcpError, codeOf, parseSha256, type Sha256 } from '#core';
import { makeFolder, readBounded } from '#host';
import type { Cache, CacheEntry } from './cache.ts';
import { cacheError } from './cache-errors.ts';
import { recordCacheUse } from './record-use.ts';
import { derivedName } from './derived-name.ts';
import { pruneCache } from './prune-cache.ts';
import { cacheUsage } from './cache-usage.ts';

/** Opens the cache in `folder`; the folder is created when the first entry is stored. */
export function openCache({ folder: given }: { readonly folder: string }): Cache {
  const folder = resolve(given);
  const entryPath = (sha256: Sha256): string => join(folder, 'sha256', sha256.slice(0, 2), sha256);
  const derivedPath = (key: string): string => join(folder, 'derived', derivedName(key));
  const temporaryPath = (): string =>
    join(folder, 'temporary', `${process.pid}.${randomBytes(8).toString('hex')}`);

  async function guard<T>(body: () => Promise<T>): Promise<T> {
    try {
      return await body();
    } catch (cause) {
      throw cacheError(cause, folder);
    }
  }

  async function moveIn(temporary: string, sha256: Sha256): Promise<void> {
    const path = entryPath(sha256);
    makeFolder(dirname(path));
    await rename(temporary, path);
  }

  async function removeDamaged(sha256: Sha256): Promise<CcpError> {
    const path = entryPath(sha256);
    await guard(() => rm(path, { recursive: true, force: true }));
    return new CcpError({
      code: 'cache-corrupt',
      message: `the cache's copy of ${sha256} is damaged; it was removed`,
      hint: 'run the command again to fetch the file again',
      at: { file: path },
    });
  }

  const cache: Cache = {
    folder,
    gitFolder: join(folder, 'git'),
    partialFolder: join(folder, 'partial'),

    sizeOf: (sha256) => statSync(entryPath(sha256), { throwIfNoEntry: false })?.size,

    async verify(sha256) {
      try {
        for await (const chunk of cache.open(sha256)) void chunk;
        return true;
      } catch (thrown) {
        const code = codeOf(thrown);
        if (code === 'cache-missing' || code === 'cache-corrupt') return false;
        throw thrown;
      }
    },

    async *open(sha256) {
      const path = entryPath(sha256);
      // Checked before opening: opening a pipe blocks until another process writes to it.
      if (statSync(path, { throwIfNoEntry: false })?.isFile() === false)
        throw await removeDamaged(sha256);
      const hash = createHash('sha256');
      let pending: Uint8Array | undefined;
      try {
        for await (const chunk of createReadStream(path, {
          highWaterMark: 256 * 1024,
        }) as AsyncIterable<Uint8Array>) {
          hash.update(chunk);
          if (pending !== undefined) yield pending;
          pending = chunk;
        }
      } catch (cause) {
        if (codeOf(cause) === 'ENOENT') throw missing(sha256, folder);
        throw cacheError(cause, folder, path);
      }
      if (hash.digest('hex') !== sha256) throw await removeDamaged(sha256);
      await recordCacheUse(path);
      if (pending !== undefined) yield pending;
    },

    put: (data, expected) =>
      guard(async () => {
        const temporary = temporaryPath();
        makeFolder(dirname(temporary));
        try {
          const entry = await writeSynced(temporary, data);
          if (expected !== undefined && entry.sha256 !== expected) {
            throw new CcpError({
              code: 'checksum-mismatch',
              message: `expected ${expected}, got ${entry.sha256} (${entry.size} bytes)`,
            });
          }
          await moveIn(temporary, entry.sha256);
          return entry;
        } finally {
          await rm(temporary, { force: true });
        }
      }),

    adopt: (path, sha256) => guard(() => moveIn(path, sha256)),

    derived(key) {
      const path = derivedPath(key);
      try {
        const sha256 = parseSha256(readBounded(path, 64).toString());
        const size = cache.sizeOf(sha256);
        return size === undefined ? undefined : { sha256, size };
      } catch {
        return undefined;
      }
    },

    async putDerived(key, data) {
      const entry = await cache.put(data);
      await guard(async () => {
        const temporary = temporaryPath();
        await writeFile(temporary, entry.sha256);
        makeFolder(dirname(derivedPath(key)));
        await rename(temporary, derivedPath(key));
      });
      return entry;
    },

    usage: () => guard(() => cacheUsage(folder)),
    prune: (options) => guard(() => pruneCache(folder, options)),
  };
  return cache;
}

async function writeSynced(
  path: string,
  data: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<CacheEntry> {
  const hash = createHash('sha256');
  let size = 0;
  const file = await open(path, 'wx', 0o644);
  try {
    for await (const chunk of data) {
      hash.update(chunk);
      size += chunk.byteLength;
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { sha256: hash.digest('hex') as Sha256, size };
}

function missing(sha256: Sha256, folder: string): CcpError {
  return new CcpError({
    code: 'cache-missing',
    message: `${sha256} is not in the cache ${folder}`,
    hint: 'run "ccp fetch"',
  });
}

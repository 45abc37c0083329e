import { CcpError, messageOf, omitUndefined, type Sha256 } from '#core';
import { readTar, writeTar, type TarEntry } from '#formats/tar';
import type { Cache, CacheEntry } from '../cache/cache.ts';
import { debData } from './deb-data.ts';
import { REQUIRED_ALIASES, aliasOf, mergedPath } from './merged-usr.ts';
import { seedKey } from './seed-key.ts';

/**
 * Merges the files of these packages into one tar, which is cached. A later package's file replaces
 * an earlier one, each folder appears once, and paths follow a merged /usr; permissions, owners,
 * setuid bits and times come from the packages. Raises `package-invalid`, and the cache's errors.
 */
export async function seedOf(cache: Cache, debs: readonly Sha256[]): Promise<CacheEntry> {
  const key = seedKey(debs);
  return cache.derived(key) ?? (await cache.putDerived(key, writeTar(mergeDebs(cache, debs))));
}

async function* mergeDebs(cache: Cache, debs: readonly Sha256[]): AsyncGenerator<TarEntry> {
  const folders = new Set<string>();
  const aliases = new Set<string>();
  const common = { mode: 0o755, uid: 0, gid: 0, size: 0, mtime: 0 } as const;
  for (const alias of REQUIRED_ALIASES) {
    aliases.add(alias);
    for (const path of ['usr', `usr/${alias}`]) {
      if (!folders.has(path)) yield { header: { ...common, type: 'directory', path } };
      folders.add(path);
    }
    yield {
      header: { ...common, type: 'symlink', mode: 0o777, path: alias, target: `usr/${alias}` },
    };
  }
  for (const deb of debs) {
    for await (const entry of debEntries(cache, deb)) {
      const { path, type } = entry.header;
      const alias = aliasOf(path);
      if (alias !== undefined) {
        if (aliases.has(alias)) continue;
        aliases.add(alias);
        yield {
          header: { ...common, type: 'symlink', mode: 0o777, path: alias, target: `usr/${alias}` },
        };
        continue;
      }
      if (type === 'directory') {
        if (folders.has(path)) continue;
        folders.add(path);
      }
      yield entry;
    }
  }
}

async function* debEntries(cache: Cache, deb: Sha256): AsyncGenerator<TarEntry> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of cache.open(deb)) chunks.push(chunk);
  try {
    for await (const { header, data } of readTar(debData(Buffer.concat(chunks)))) {
      const { target, ...rest } = header;
      const linked =
        target === undefined
          ? {}
          : { target: header.type === 'hardlink' ? mergedPath(target) : target };
      yield {
        header: { ...rest, path: mergedPath(header.path), ...linked },
        ...omitUndefined({ data }),
      };
    }
  } catch (cause) {
    if (cause instanceof CcpError) throw cause;
    throw new CcpError({
      code: 'package-invalid',
      message: `the package ${deb} cannot be unpacked: ${messageOf(cause)}`,
      hint: 'lock again: "ccp lock --update"',
      cause,
    });
  }
}

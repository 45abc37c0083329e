import { CcpError, messageOf, type Sha256 } from '#core';
import type { Cache, CacheEntry } from '../cache/cache.ts';
import type { TarHeader } from '../tar/tar-header.ts';
import { writeTar, type TarEntry } from '../tar/write-tar.ts';
import { debData } from './deb-data.ts';
import { ALWAYS, aliasOf, mergedPath } from './merged-usr.ts';

/**
 * The files of these packages as one tar, made once and kept in the cache. A later package's file replaces an earlier one's, a
 * folder appears once, paths are those of a merged /usr; permissions, owners, setuid bits and times are the packages'.
 * Raises `package-invalid`, and what the cache raises.
 */
export async function seedOf(cache: Cache, debs: readonly Sha256[]): Promise<CacheEntry> {
  const key = ['seed 1', ...debs].join('\n');
  return cache.derived(key) ?? (await cache.putDerived(key, writeTar(mergeDebs(cache, debs))));
}

async function* mergeDebs(cache: Cache, debs: readonly Sha256[]): AsyncGenerator<TarEntry> {
  const folders = new Set<string>();
  const aliases = new Set<string>();
  const common = { mode: 0o755, uid: 0, gid: 0, size: 0, mtime: 0 } as const;
  for (const alias of ALWAYS) {
    aliases.add(alias);
    for (const path of ['usr', `usr/${alias}`]) {
      if (!folders.has(path)) yield { header: { ...common, type: 'directory', path } };
      folders.add(path);
    }
    yield { header: { ...common, type: 'symlink', mode: 0o777, path: alias, target: `usr/${alias}` } };
  }
  for (const deb of debs) {
    for await (const entry of debEntries(cache, deb)) {
      const { path, type } = entry.header;
      const alias = aliasOf(path);
      if (alias !== undefined) {
        if (aliases.has(alias)) continue;
        aliases.add(alias);
        yield { header: { ...common, type: 'symlink', mode: 0o777, path: alias, target: `usr/${alias}` } };
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
    const { extract } = await import('tar-stream');
    const unpack = extract();
    unpack.end(await debData(Buffer.concat(chunks)));
    for await (const entry of unpack) {
      const header = mergedHeader(entry.header);
      if (header !== undefined) yield { header, data: entry as AsyncIterable<Uint8Array> };
      else entry.resume();
    }
  } catch (cause) {
    if (cause instanceof CcpError) throw cause;
    throw new CcpError({ code: 'package-invalid', message: `the package ${deb} cannot be unpacked: ${messageOf(cause)}`, hint: 'lock again: "ccp lock --update"', cause });
  }
}

const TYPES: Readonly<Record<string, TarHeader['type']>> = { file: 'file', 'contiguous-file': 'file', directory: 'directory', symlink: 'symlink', link: 'hardlink' };

interface ForeignHeader {
  readonly name: string;
  readonly type?: string | null | undefined;
  readonly linkname?: string | null | undefined;
  readonly mode?: number | undefined;
  readonly uid?: number | undefined;
  readonly gid?: number | undefined;
  readonly size?: number | undefined;
  readonly mtime?: Date | undefined;
}

/** The header in a merged system; nothing for the root. Raises a `RangeError` for devices, FIFOs and paths that leave the root. */
function mergedHeader(header: ForeignHeader): TarHeader | undefined {
  const path = cleanPath(header.name);
  if (path === '') return undefined;
  const type = TYPES[header.type ?? 'file'];
  if (type === undefined) throw new RangeError(`${path} is a ${header.type}`);
  const target = type === 'hardlink' ? mergedPath(cleanPath(header.linkname ?? '')) : type === 'symlink' ? (header.linkname ?? '') : undefined;
  return {
    path: mergedPath(path),
    type,
    mode: (header.mode ?? 0) & 0o7777,
    uid: header.uid ?? 0,
    gid: header.gid ?? 0,
    size: type === 'file' ? (header.size ?? 0) : 0,
    mtime: Math.floor((header.mtime?.getTime() ?? 0) / 1000),
    ...(target === undefined ? {} : { target }),
  };
}

function cleanPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new RangeError(`${path} leaves the root`);
  return parts.join('/');
}

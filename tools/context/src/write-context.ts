import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { CcpError, fileChanged, readFault, sha256, SOURCE_DATE_EPOCH } from '#core';
import { seedOf, type Cache, type CacheEntry } from '#fetch';
import { gitArchiveKey } from '#fetch/keys';
import { writeTar, type TarEntry } from '#formats/tar';
import { FILE_LIMITS } from './listing/file-budget.ts';
import type { ContentOrigin, ContextEntry } from './types.ts';

/**
 * The build context as a tar stream whose bytes depend only on the entries: owner 0, a fixed time,
 * mode 644 or 755. Raises `file-changed` if a file on disk changed after it was listed, and
 * `cache-missing`, `cache-corrupt` and `input-missing` if locked files are not in the cache.
 */
export function writeContext(
  entries: readonly ContextEntry[],
  cache: Cache,
): AsyncIterable<Uint8Array> {
  return writeTar(tarEntries(entries, cache));
}

type FileEntry = Extract<ContextEntry, { readonly type: 'file' }>;

async function* tarEntries(
  entries: readonly ContextEntry[],
  cache: Cache,
): AsyncGenerator<TarEntry> {
  for (const entry of entries) {
    const common = { path: entry.path, uid: 0, gid: 0, mtime: SOURCE_DATE_EPOCH };
    if (entry.type === 'directory')
      yield { header: { ...common, type: 'directory', mode: 0o755, size: 0 } };
    else if (entry.type === 'symlink')
      yield { header: { ...common, type: 'symlink', mode: 0o777, size: 0, target: entry.target } };
    else {
      const { size, data } = await contentOf(entry, entry.origin, cache);
      yield {
        header: { ...common, type: 'file', mode: entry.executable ? 0o755 : 0o644, size },
        data,
      };
    }
  }
}

interface Content {
  readonly size: number;
  readonly data: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

async function contentOf(entry: FileEntry, origin: ContentOrigin, cache: Cache): Promise<Content> {
  switch (origin.from) {
    case 'bytes':
      return { size: origin.bytes.byteLength, data: [origin.bytes] };
    case 'disk':
      return readListed(entry, origin);
    case 'cache':
      return { size: cache.sizeOf(origin.sha256) ?? 0, data: cache.open(origin.sha256) };
    case 'debs':
      return stored(await seedOf(cache, origin.debs), cache);
    case 'git': {
      const archive = cache.derived(gitArchiveKey(origin.source));
      if (archive !== undefined) return stored(archive, cache);
      throw new CcpError({
        code: 'input-missing',
        message: `commit ${origin.source.commit} of ${origin.source.url} is not in the cache`,
        hint: 'run "ccp fetch"',
      });
    }
  }
}

function stored({ sha256, size }: CacheEntry, cache: Cache): Content {
  return { size, data: cache.open(sha256) };
}

/**
 * A file of the repository. It is read completely, because no byte must be sent before the hash is
 * checked; these files are small.
 */
async function readListed(
  entry: FileEntry,
  { path, file: name }: Extract<ContentOrigin, { readonly from: 'disk' }>,
): Promise<Content> {
  const { bytes, mode } = await readNoLink(path).catch((thrown: unknown) => {
    throw readFault(thrown, name);
  });
  if (sha256(bytes) === entry.sha256 && ((mode & 0o100) !== 0) === entry.executable)
    return { size: bytes.length, data: [bytes] };
  throw new CcpError({
    code: 'file-changed',
    message: `${name} changed after it was listed`,
    hint: "run the command again when no program writes to the image's folder",
    at: { file: name },
  });
}

async function readNoLink(
  path: string,
): Promise<{ readonly bytes: Buffer; readonly mode: number }> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > FILE_LIMITS.fileBytes) throw fileChanged(path);
    return { bytes: await file.readFile(), mode: stat.mode };
  } finally {
    await file.close();
  }
}

import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { TarHeader } from './tar-header.ts';
import type { TarEntry } from './write-tar.ts';

const TYPES: Readonly<Record<string, TarHeader['type']>> = {
  file: 'file',
  'contiguous-file': 'file',
  directory: 'directory',
  symlink: 'symlink',
  link: 'hardlink',
};

/**
 * Entries of a tar made by someone else, each to be read before the next; names of owners and extended records are dropped, the
 * root folder is left out. Raises a `RangeError` for devices, FIFOs and paths that leave the root, and the reader's error for what is no tar.
 */
export async function* readTar(tar: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const { extract } = await import('tar-stream');
  const unpack = extract();
  const feeding = pipeline(Readable.from(tar, { objectMode: false }), unpack as unknown as NodeJS.WritableStream).catch((cause: unknown) => {
    unpack.destroy(cause instanceof Error ? cause : new Error(String(cause)));
  });
  for await (const entry of unpack) {
    const { name, type, linkname, mode, uid, gid, size, mtime } = entry.header;
    const path = cleanPath(name);
    if (path === '') {
      entry.resume();
      continue;
    }
    const kind = TYPES[type ?? 'file'];
    if (kind === undefined) throw new RangeError(`${path} is a ${type}`);
    const target = targetOf(kind, linkname ?? '');
    const header: TarHeader = {
      path,
      type: kind,
      mode: (mode ?? 0) & 0o7777,
      uid: uid ?? 0,
      gid: gid ?? 0,
      size: kind === 'file' ? (size ?? 0) : 0,
      mtime: Math.floor((mtime?.getTime() ?? 0) / 1000),
      ...(target === undefined ? {} : { target }),
    };
    yield { header, data: entry as AsyncIterable<Uint8Array> };
  }
  await feeding;
}

/** Where a link points: a hard link to a path of the archive, a symbolic one to what it says. */
function targetOf(kind: TarHeader['type'], linkname: string): string | undefined {
  if (kind === 'hardlink') return cleanPath(linkname);
  return kind === 'symlink' ? linkname : undefined;
}

function cleanPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new RangeError(`${path} leaves the root`);
  return parts.join('/');
}

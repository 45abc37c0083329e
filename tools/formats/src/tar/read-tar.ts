import { omitUndefined } from '#core';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import type { TarEntry, TarHeader } from './write-tar.ts';

const TYPES: Readonly<Record<string, TarHeader['type']>> = {
  file: 'file',
  'contiguous-file': 'file',
  directory: 'directory',
  symlink: 'symlink',
  link: 'hardlink',
};

const MAX_ENTRIES = 2_000_000;
/** PATH_MAX of Linux. */
const MAX_NAME = 4096;

/**
 * The entries of an untrusted tar; each must be read before the next. Owner names, extended records
 * and the root folder are dropped. Throws a `RangeError` for devices, FIFOs, sparse files, unknown
 * types, invalid numbers, paths outside the root or of more than 4096 bytes, and for more than
 * `maxEntries` entries. Throws the reader's error for bytes that are not a tar.
 */
export async function* readTar(
  tar: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  maxEntries = MAX_ENTRIES,
): AsyncGenerator<TarEntry> {
  const { extract } = await import('tar-stream');
  const unpack = extract();
  const feeding = pipeline(
    Readable.from(tar, { objectMode: false }),
    unpack as unknown as NodeJS.WritableStream,
  ).catch((cause: unknown) => {
    unpack.destroy(cause instanceof Error ? cause : new Error(String(cause)));
  });
  let entries = 0;
  for await (const entry of unpack) {
    const { name, type, linkname, mode, uid, gid, size, mtime, pax } = entry.header;
    if ((entries += 1) > maxEntries) throw new RangeError(`it has more than ${maxEntries} entries`);
    const path = cleanPath(name);
    if (path === '' && type === 'directory') {
      entry.resume();
      continue;
    }
    const kind = TYPES[type ?? ''];
    if (path === '') throw new RangeError('its root is not a folder');
    if (kind === undefined)
      throw new RangeError(`${path} is a ${type ?? 'member of unknown type'}`);
    if (Object.keys(pax ?? {}).some((key) => key.startsWith('GNU.sparse.')))
      throw new RangeError(`${path} is a sparse file`);
    const seconds = Math.floor((mtime?.getTime() ?? 0) / 1000);
    // tar-stream 3.2.2 has `null` for a number that it cannot read, and never ends such a member.
    if ([size, mode, uid, gid, seconds].some((number) => !Number.isSafeInteger(number)))
      throw new RangeError(`${path} has an invalid number in its header`);
    const target = targetOf(kind, linkname ?? '');
    const header: TarHeader = {
      path,
      type: kind,
      mode: mode! & 0o7777,
      uid: uid!,
      gid: gid!,
      size: kind === 'file' ? size! : 0,
      mtime: seconds,
      ...omitUndefined({ target }),
    };
    yield { header, data: entry as AsyncIterable<Uint8Array> };
  }
  await feeding;
}

/** Target of a link: a path in the archive for a hard link, the text of a symbolic link. */
function targetOf(kind: TarHeader['type'], linkname: string): string | undefined {
  if (kind === 'hardlink') return cleanPath(linkname);
  return kind === 'symlink' ? linkname : undefined;
}

function cleanPath(path: string): string {
  if (Buffer.byteLength(path) > MAX_NAME)
    throw new RangeError(`a name has more than ${MAX_NAME} bytes: ${path.slice(0, 100)}...`);
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw new RangeError(`${path} leads out of the root`);
  return parts.join('/');
}

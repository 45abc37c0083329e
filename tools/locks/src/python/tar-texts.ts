import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

const MAX_FILE = 4 * 1024 * 1024;
const MAX_ENTRIES = 200_000;
const MAX_UNPACKED = 2 * 1024 ** 3;

/**
 * Texts of the files that `wanted` takes by their path in a tar, of at most 4 MiB each, by their path below its top folder. Nothing is
 * written. Raises a `RangeError` for a tar that holds too much, and the error of what reads it.
 */
export async function tarTexts(
  tar: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  wanted: (path: string) => boolean,
  { gzipped = false } = {},
): Promise<ReadonlyMap<string, string>> {
  const { extract } = await import('tar-stream');
  const found = new Map<string, string>();
  const unpack = extract();
  let entries = 0;
  let unpacked = 0;
  unpack.on('entry', (header, stream, next) => {
    const { name, type, size = 0 } = header;
    entries += 1;
    unpacked += size ?? 0;
    if (entries > MAX_ENTRIES || unpacked > MAX_UNPACKED) return void unpack.destroy(new RangeError('it holds too much'));
    const path = name.replace(/^\.\//, '');
    const taken = type === 'file' && (size ?? 0) <= MAX_FILE && wanted(path);
    const chunks: Uint8Array[] = [];
    stream.on('data', (chunk) => {
      if (taken) chunks.push(chunk as Uint8Array);
    });
    stream.on('end', () => {
      if (taken) found.set(belowTop(path), Buffer.concat(chunks).toString('utf8'));
      next();
    });
  });
  const source = Readable.from(tar);
  if (gzipped) await pipeline(source, createGunzip(), unpack);
  else await pipeline(source, unpack);
  return found;
}

/** A path of an archive with one folder at its top, below that. */
export function belowTop(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}

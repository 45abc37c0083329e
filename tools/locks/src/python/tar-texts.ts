import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';

/** Limits for reading an archive; sizes are in bytes. */
export interface TarLimits {
  /** Number of members. */
  readonly entries: number;
  /** Size of the whole archive, decompressed. */
  readonly unpacked: number;
  /** Size of one selected file; larger files are skipped. */
  readonly file: number;
  /** Total size of the selected files. */
  readonly taken: number;
}

const LIMITS: TarLimits = {
  entries: 200_000,
  unpacked: 2 * 1024 ** 3,
  file: 4 * 1024 ** 2,
  taken: 64 * 1024 ** 2,
};

/**
 * Reads the files of a tar whose paths `wanted` accepts: path below the top folder -> text. Nothing
 * is written. Throws a `RangeError` if the tar exceeds the limits, and the reader's error if it is
 * truncated or damaged.
 */
export async function tarTexts(
  tar: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  wanted: (path: string) => boolean,
  { gzipped = false, limits = LIMITS }: { gzipped?: boolean; limits?: TarLimits } = {},
): Promise<ReadonlyMap<string, string>> {
  const { extract } = await import('tar-stream');
  const unpack = extract();
  const counted = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let unpacked = 0;
    for await (const chunk of chunks) {
      unpacked += chunk.byteLength;
      if (unpacked > limits.unpacked)
        throw new RangeError(`it unpacks to more than ${limits.unpacked} bytes`);
      yield chunk;
    }
  };
  const source = Readable.from(tar);
  const sink = unpack as unknown as NodeJS.WritableStream;
  const feeding = (
    gzipped ? pipeline(source, createGunzip(), counted, sink) : pipeline(source, counted, sink)
  ).catch((cause: unknown) => {
    unpack.destroy(cause instanceof Error ? cause : new Error(String(cause)));
  });
  const found = new Map<string, string>();
  let entries = 0;
  let takenBytes = 0;
  for await (const entry of unpack) {
    const { name, type, size } = entry.header;
    if ((entries += 1) > limits.entries)
      throw new RangeError(`it has more than ${limits.entries} entries`);
    const path = name.replace(/^\.\//, '');
    // tar-stream 3.2.2 has `null` for a size that it cannot read, and never ends such a member.
    if (!Number.isSafeInteger(size)) throw new RangeError(`${path} has an invalid size`);
    if (type !== 'file' || (size ?? 0) > limits.file || !wanted(path)) {
      entry.resume();
      continue;
    }
    takenBytes += size ?? 0;
    if (takenBytes > limits.taken)
      throw new RangeError(`its metadata files have more than ${limits.taken} bytes`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of entry as AsyncIterable<Uint8Array>) chunks.push(chunk);
    found.set(belowTop(path), Buffer.concat(chunks).toString('utf8'));
  }
  await feeding;
  return found;
}

/** Removes the top folder from a path. */
export function belowTop(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}

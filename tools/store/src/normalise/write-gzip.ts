import { createHash, type Hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib';
import { digestFromHex, digestOf, type Digest, type Sha256 } from '#core';

/** Deflate level: on a Debian layer 9 takes twice the time of all the rest for 2 % less, 4 saves a tenth for 3 % more. */
const LEVEL = 5;
const CHUNK = 1 << 20;
const WINDOW = 1 << 15;
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const DEFLATE = { level: LEVEL, finishFlush: constants.Z_SYNC_FLUSH };
const deflate = promisify<Buffer, object, Buffer>(deflateRaw);

/** What came of writing a layer; `diffId` and `unpacked` are of the plain bytes, `digest` and `size` of the compressed. */
export interface GzipResult {
  readonly diffId: Digest;
  readonly unpacked: number;
  readonly digest: Digest;
  readonly size: number;
}

/**
 * Writes `pieces` as one gzip member whose bytes depend on nothing but theirs. Chunks of fixed size are deflated side by
 * side on zlib's threads, each primed with the window before it, so the result is as small as that of one stream. A piece
 * may be overwritten once the next one is asked for.
 */
export async function writeGzip(pieces: Iterable<Buffer>, file: FileHandle): Promise<GzipResult> {
  const plain = createHash('sha256');
  const packed = createHash('sha256');
  const queue: Promise<Buffer>[] = [];
  let checksum = 0;
  let unpacked = 0;
  let size = 0;
  let before: Buffer | undefined;

  const put = async (bytes: Buffer): Promise<void> => {
    packed.update(bytes);
    size += bytes.length;
    await file.writeFile(bytes);
  };
  const drain = async (left: number): Promise<void> => {
    while (queue.length > left) await put((await queue.shift()) ?? Buffer.alloc(0));
  };
  await put(HEADER);
  for (const chunk of chunks(pieces)) {
    plain.update(chunk);
    checksum = crc32(chunk, checksum);
    unpacked += chunk.length;
    const task = deflate(chunk, { ...DEFLATE, ...(before === undefined ? {} : { dictionary: before.subarray(-WINDOW) }) });
    task.catch(() => undefined);
    queue.push(task);
    before = chunk;
    await drain(2 * availableParallelism());
  }
  await drain(0);
  await put(trailer(checksum, unpacked));
  return { diffId: hashed(plain), unpacked, digest: hashed(packed), size };
}

/** What `writeGzip` makes of `bytes`, at once; they must not be longer than one of its chunks, 1 MiB. */
export function gzipAtOnce(bytes: Buffer): GzipResult & { readonly packed: Buffer } {
  if (bytes.length === 0 || bytes.length > CHUNK) throw new RangeError(`${bytes.length} bytes are not one chunk`);
  const packed = Buffer.concat([HEADER, deflateRawSync(bytes, DEFLATE), trailer(crc32(bytes), bytes.length)]);
  return { packed, diffId: digestOf(bytes), unpacked: bytes.length, digest: digestOf(packed), size: packed.length };
}

/** The last, empty block of the deflated bytes, their checksum and length. */
function trailer(checksum: number, unpacked: number): Buffer {
  const end = Buffer.alloc(10);
  end.writeUInt16LE(3);
  end.writeUInt32LE(checksum, 2);
  end.writeUInt32LE(unpacked % 2 ** 32, 6);
  return end;
}

function* chunks(pieces: Iterable<Buffer>): Generator<Buffer> {
  let chunk = Buffer.allocUnsafe(CHUNK);
  let filled = 0;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length;) {
      const taken = piece.copy(chunk, filled, from);
      from += taken;
      filled += taken;
      if (filled < CHUNK) continue;
      yield chunk;
      chunk = Buffer.allocUnsafe(CHUNK);
      filled = 0;
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled);
}

function hashed(hash: Hash): Digest {
  return digestFromHex(hash.digest('hex') as Sha256);
}

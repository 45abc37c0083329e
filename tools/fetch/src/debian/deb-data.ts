import { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { readAr } from './ar.ts';

type Bytes = AsyncIterable<Uint8Array>;

/** Limit of one package's unpacked size: the largest in Debian unpack to less than 2 GiB. */
const MAX_UNPACKED = 4 * 1024 ** 3;
const PIECE = 1 << 16;
/** Two blocks of zeros end a tar. */
const TAR_END = Buffer.alloc(1024);

/** Decoders of a member's compression, by the end of its name. */
const DECODERS: Readonly<Record<string, (data: Uint8Array) => Bytes>> = {
  '': pieces,
  '.gz': (data) => Readable.from(pieces(data)).pipe(createGunzip()),
  '.zst': (data) => withTarEnd(Readable.from(pieces(data)).pipe(createZstdDecompress())),
  '.xz': async function* (data) {
    const { decompressStream } = await import('@napi-rs/lzma/xz');
    yield* decompressStream(ReadableStream.from(pieces(data))) as unknown as Bytes;
  },
};

/**
 * Streams the uncompressed tar of a .deb's files. Throws a `RangeError` if the package does not
 * follow deb(5) or unpacks to more than `limit` bytes, and the decoder's error if its data is
 * damaged.
 */
export const debData = (deb: Uint8Array, limit = MAX_UNPACKED): AsyncGenerator<Uint8Array> =>
  debTar(deb, 'data.tar', limit);

/** Streams the uncompressed tar of one member, as `debData` does. */
export async function* debTar(
  deb: Uint8Array,
  part: 'control.tar' | 'data.tar',
  limit: number,
): AsyncGenerator<Uint8Array> {
  const members = readAr(deb);
  const version =
    members[0]?.name === 'debian-binary' ? Buffer.from(members[0].data).toString('latin1') : '';
  if (!version.startsWith('2.')) throw new RangeError('it is not a Debian package of format 2');
  const member = members.find(({ name }) => name.startsWith(part));
  const decode = member === undefined ? undefined : DECODERS[member.name.slice(part.length)];
  if (member === undefined || decode === undefined)
    throw new RangeError(
      member === undefined
        ? `it has no ${part} member`
        : `the compression of ${member.name} is not supported`,
    );
  let unpacked = 0;
  for await (const chunk of decode(member.data)) {
    unpacked += chunk.byteLength;
    if (unpacked > limit) throw new RangeError(`it unpacks to more than ${limit} bytes`);
    yield chunk;
  }
}

/** Splits the input into small pieces to bound a decoder's memory. */
async function* pieces(data: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < data.length; at += PIECE) yield data.subarray(at, at + PIECE);
}

/**
 * Rejects a tar without its end blocks: Node 24.19 ends a truncated zstd stream without an error.
 */
async function* withTarEnd(tar: Bytes): AsyncGenerator<Uint8Array> {
  let tail: Uint8Array = new Uint8Array();
  for await (const chunk of tar) {
    tail = Buffer.concat([tail, chunk.subarray(-TAR_END.length)]).subarray(-TAR_END.length);
    yield chunk;
  }
  if (!TAR_END.every((byte, index) => tail[index] === byte))
    throw new RangeError('unexpected end of file');
}

import { createHash } from 'node:crypto';
import { createReadStream, fstatSync, readSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from 'node:zlib';
import { CcpError, codeOf, digestFromHex, messageOf, type Digest, type Sha256 } from '#core';
import { layerInvalid, type TarSource } from '#formats/tar';
import { compressionOf } from './compression.ts';

/** Random access to an open file. */
export function fileSource(fd: number): TarSource {
  const size = fstatSync(fd).size;
  let buffer = Buffer.allocUnsafe(1 << 20);
  return {
    size,
    read(offset, length) {
      if (length > buffer.length) buffer = Buffer.allocUnsafe(length);
      const read = offset + length > size ? 0 : readSync(fd, buffer, 0, length, offset);
      if (read !== length) throw layerInvalid(offset, 'it is truncated');
      return buffer.subarray(0, length);
    },
  };
}

/**
 * Unpacks the layer in the file `input` (a tar, plain or compressed by gzip or zstd) into `spool`.
 * Resolves with the digest of the plain bytes. Throws `layer-invalid`, also if it unpacks to more
 * than `limit` bytes, and file system errors.
 */
export async function unpackLayer(
  input: string,
  spool: FileHandle,
  limit: number,
): Promise<Digest> {
  const hash = createHash('sha256');
  let unpacked = 0;
  const write = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks) {
      hash.update(chunk);
      unpacked += chunk.length;
      if (unpacked > limit) throw layerInvalid(unpacked, `it unpacks to more than ${limit} bytes`);
      await spool.writeFile(chunk);
    }
  };
  const decoder = await decoderOf(input);
  const packed = createReadStream(input, { highWaterMark: 1 << 20 });
  try {
    await (decoder === undefined ? pipeline(packed, write) : pipeline(packed, decoder, write));
  } catch (cause) {
    if (cause instanceof CcpError || !/^(?:Z_|ERR_ZSTD|ZSTD_)/.test(codeOf(cause) ?? ''))
      throw cause;
    throw layerInvalid(0, `decompression failed: ${messageOf(cause)}`);
  }
  return digestFromHex(hash.digest('hex') as Sha256);
}

async function decoderOf(path: string): Promise<Gunzip | ZstdDecompress | undefined> {
  const file = await open(path);
  try {
    const magic = Buffer.alloc(4);
    await file.read(magic, 0, 4, 0);
    const compression = compressionOf(magic);
    if (compression === undefined) return undefined;
    return compression === 'gzip' ? createGunzip({ chunkSize: 1 << 18 }) : createZstdDecompress();
  } finally {
    await file.close();
  }
}

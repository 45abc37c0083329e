import { createHash } from 'node:crypto';
import { createReadStream, fstatSync, readSync } from 'node:fs';
import { open, rm, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress, type Gunzip, type ZstdDecompress } from 'node:zlib';
import { CcpError, codeOf, digestFromHex, messageOf, type Digest, type Sha256 } from '#core';
import { layerInvalid, scanTar, type TarSource } from '#formats/tar';
import { canonicalLayer } from './canonical-layer.ts';
import { compressionOf } from './compression.ts';
import { layerBytes } from './layer-bytes.ts';
import { writeGzip, type GzipResult } from './write-gzip.ts';

/** One layer to normalise. */
export interface LayerJob {
  /** The pushed layer: a tar, plain or compressed by gzip or zstd. */
  readonly input: string;
  /** Path for the canonical layer. A temporary file with the suffix `.tar` exists meanwhile. */
  readonly output: string;
  /** Maximum size of the unpacked layer, in bytes. */
  readonly limit: number;
}

export interface NormalisedLayer extends GzipResult {
  /** Diff id of the pushed layer. */
  readonly original: Digest;
  /** True if no member is left. */
  readonly empty: boolean;
}

/**
 * Rewrites a layer in canonical form. Keeps the list of members in memory, but not their content.
 * Throws `layer-invalid` and file system errors.
 */
export async function normaliseLayer(job: LayerJob): Promise<NormalisedLayer> {
  const spool = await open(`${job.output}.tar`, 'wx+');
  try {
    const original = await unpack(job, spool);
    const source = fileSource(spool.fd);
    const entries = canonicalLayer(scanTar(source));
    const size = entries.reduce((sum, entry) => sum + entry.size, 0);
    if (size > job.limit) throw layerInvalid(0, `its files have more than ${job.limit} bytes`);
    const output = await open(job.output, 'wx');
    try {
      const written = await writeGzip(layerBytes(entries, source), output);
      return { ...written, original, empty: entries.length === 0 };
    } finally {
      await output.close();
    }
  } finally {
    await spool.close();
    await rm(`${job.output}.tar`, { force: true });
  }
}

/** Random access to an open file. */
function fileSource(fd: number): TarSource {
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

/** Unpacks the input into `spool`; resolves with the digest of the plain bytes. */
async function unpack(job: LayerJob, spool: FileHandle): Promise<Digest> {
  const hash = createHash('sha256');
  let unpacked = 0;
  const write = async (chunks: AsyncIterable<Buffer>): Promise<void> => {
    for await (const chunk of chunks) {
      hash.update(chunk);
      unpacked += chunk.length;
      if (unpacked > job.limit)
        throw layerInvalid(unpacked, `it unpacks to more than ${job.limit} bytes`);
      await spool.writeFile(chunk);
    }
  };
  const decoder = await decoderOf(job.input);
  const input = createReadStream(job.input, { highWaterMark: 1 << 20 });
  try {
    await (decoder === undefined ? pipeline(input, write) : pipeline(input, decoder, write));
  } catch (cause) {
    if (cause instanceof CcpError || !/^(?:Z_|ERR_ZSTD|ZSTD_)/.test(codeOf(cause) ?? ''))
      throw cause;
    throw layerInvalid(0, `decompression failed: ${messageOf(cause)}`);
  }
  return digestFromHex(hash.digest('hex') as Sha256);
}

async function decoderOf(input: string): Promise<Gunzip | ZstdDecompress | undefined> {
  const file = await open(input);
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

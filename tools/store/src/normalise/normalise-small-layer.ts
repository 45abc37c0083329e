import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { digestOf } from '#core';
import { layerInvalid, scanTar, type TarSource } from '#formats/tar';
import { canonicalLayer } from './canonical-layer.ts';
import { compressionOf } from './compression.ts';
import { layerBytes } from './layer-bytes.ts';
import { listLayer } from './list-layer.ts';
import { listingText } from './listing-text.ts';
import { listingFile, type LayerJob, type NormalisedLayer } from './normalise-layer.ts';
import { gzipChunk } from './write-gzip.ts';

/**
 * Maximum size in bytes of a small layer, whether pushed, unpacked or canonical: normalising it
 * here takes less time than sending it to a thread.
 */
const SMALL = 1 << 17;

/**
 * Synchronous `normaliseLayer` in memory, with identical output. Returns undefined and writes
 * nothing if the layer is not small or cannot be unpacked. Throws `layer-invalid` and file system
 * errors.
 */
export function normaliseSmallLayer({
  input,
  output,
  limit,
}: LayerJob): NormalisedLayer | undefined {
  if (statSync(input).size > SMALL) return undefined;
  const tar = unpack(readFileSync(input));
  if (tar === undefined || tar.length > limit) return undefined;
  const source = memorySource(tar);
  const entries = canonicalLayer(scanTar(source));
  const bytes = gathered(layerBytes(entries, source), Math.min(SMALL, limit));
  if (bytes === undefined) return undefined;
  const { packed, ...written } = gzipChunk(bytes);
  writeFileSync(output, packed, { flag: 'wx' });
  writeFileSync(listingFile({ output }), listingText(listLayer(entries, source)));
  return { ...written, original: digestOf(tar), empty: entries.length === 0 };
}

/**
 * The joined pieces; undefined if they exceed `limit`. Holes of sparse files and attributes of
 * links can make the output longer than the input.
 */
function gathered(pieces: Iterable<Buffer>, limit: number): Buffer | undefined {
  const kept: Buffer[] = [];
  let length = 0;
  for (const piece of pieces) {
    length += piece.length;
    if (length > limit) return undefined;
    kept.push(piece);
  }
  return Buffer.concat(kept);
}

function memorySource(tar: Buffer): TarSource {
  return {
    size: tar.length,
    read(offset, length) {
      if (offset + length > tar.length) throw layerInvalid(offset, 'it is truncated');
      return tar.subarray(offset, offset + length);
    },
  };
}

function unpack(bytes: Buffer): Buffer | undefined {
  const compression = compressionOf(bytes);
  if (compression === undefined) return bytes;
  try {
    return (compression === 'gzip' ? gunzipSync : zstdDecompressSync)(bytes, {
      maxOutputLength: SMALL,
    });
  } catch {
    return undefined;
  }
}

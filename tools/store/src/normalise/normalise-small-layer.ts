import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { digestOf } from '#core';
import { scanTar } from '../tar/scan-tar.ts';
import { layerInvalid, padded, type TarSource } from '../tar/tar-entry.ts';
import { canonicalLayer } from './canonical-layer.ts';
import { compressionOf } from './compression.ts';
import { layerBytes } from './layer-bytes.ts';
import type { LayerJob, NormalisedLayer } from './normalise-layer.ts';
import { gzipAtOnce } from './write-gzip.ts';

/** Bytes of a layer, as pushed, as unpacked and as canonical, up to which it costs less than handing it to a thread does. */
const SMALL = 1 << 17;

/**
 * As `normaliseLayer`, with the same bytes, but in memory and at once; undefined, and nothing written, where the layer is not small
 * or cannot be unpacked. Raises `layer-invalid` and system errors of the disk.
 */
export function normaliseSmallLayer({ input, output, limit }: LayerJob): NormalisedLayer | undefined {
  if (statSync(input).size > SMALL) return undefined;
  const tar = unpack(readFileSync(input));
  if (tar === undefined || tar.length > limit) return undefined;
  const source = memorySource(tar);
  const entries = canonicalLayer(scanTar(source));
  // A sparse file may be much larger than what the tar holds of it.
  if (entries.reduce((sum, { size }) => sum + padded(size), 0) > Math.min(SMALL, limit)) return undefined;
  const { packed, ...written } = gzipAtOnce(Buffer.concat([...layerBytes(entries, source)]));
  writeFileSync(output, packed, { flag: 'wx' });
  return { ...written, original: digestOf(tar), empty: entries.length === 0 };
}

function memorySource(tar: Buffer): TarSource {
  return {
    size: tar.length,
    read(offset, length) {
      if (offset + length > tar.length) throw layerInvalid(offset, 'its end is missing');
      return tar.subarray(offset, offset + length);
    },
  };
}

function unpack(bytes: Buffer): Buffer | undefined {
  const compression = compressionOf(bytes);
  if (compression === undefined) return bytes;
  try {
    return (compression === 'gzip' ? gunzipSync : zstdDecompressSync)(bytes, { maxOutputLength: SMALL });
  } catch {
    return undefined;
  }
}

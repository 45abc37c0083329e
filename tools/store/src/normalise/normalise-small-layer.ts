import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { digestOf } from '#core';
import { scanTar } from '../tar/scan-tar.ts';
import { layerInvalid, type TarSource } from '../tar/tar-entry.ts';
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
  const bytes = gathered(layerBytes(entries, source), Math.min(SMALL, limit));
  if (bytes === undefined) return undefined;
  const { packed, ...written } = gzipAtOnce(bytes);
  writeFileSync(output, packed, { flag: 'wx' });
  return { ...written, original: digestOf(tar), empty: entries.length === 0 };
}

/** All pieces; undefined where they are longer: holes of a file and attributes of a name may take more than the tar has of them. */
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

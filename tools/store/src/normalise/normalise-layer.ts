import { open, rm, writeFile } from 'node:fs/promises';
import type { Digest } from '#core';
import { layerInvalid, scanTar } from '#formats/tar';
import { canonicalLayer } from './canonical-layer.ts';
import { layerBytes } from './layer-bytes.ts';
import { listLayer } from './list-layer.ts';
import { listingText } from './listing-text.ts';
import { fileSource, unpackLayer } from './unpack-layer.ts';
import { writeGzip, type GzipResult } from './write-gzip.ts';

/** One layer to normalise. */
export interface LayerJob {
  /** The pushed layer: a tar, plain or compressed by gzip or zstd. */
  readonly input: string;
  /**
   * Path for the canonical layer. Its listing is written as text to a file with the suffix
   * `.listing`. A temporary file with the suffix `.tar` exists meanwhile.
   */
  readonly output: string;
  /** Maximum size of the unpacked layer, in bytes. */
  readonly limit: number;
}

/** Path of the listing's text. */
export function listingFile({ output }: Pick<LayerJob, 'output'>): string {
  return `${output}.listing`;
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
    const original = await unpackLayer(job.input, spool, job.limit);
    const source = fileSource(spool.fd);
    const entries = canonicalLayer(scanTar(source));
    const size = entries.reduce((sum, entry) => sum + entry.size, 0);
    if (size > job.limit) throw layerInvalid(0, `its files have more than ${job.limit} bytes`);
    const output = await open(job.output, 'wx');
    try {
      const written = await writeGzip(layerBytes(entries, source), output);
      await writeFile(listingFile(job), listingText(listLayer(entries, source)));
      return { ...written, original, empty: entries.length === 0 };
    } finally {
      await output.close();
    }
  } finally {
    await spool.close();
    await rm(`${job.output}.tar`, { force: true });
  }
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Digest, Json } from '#core';
import { NORMALISER_VERSION } from '../normalise/normaliser-version.ts';
import { replaceFile } from './atomic-file.ts';

/** How many of the layers met last are remembered. */
const MAX_LAYERS = 5_000;

/** A layer in its canonical form. */
export interface StoredLayer {
  readonly diffId: Digest;
  /** Bytes of the tar. */
  readonly unpacked: number;
  readonly digest: Digest;
  /** Bytes as stored. */
  readonly size: number;
  /** True where it has no member; such a layer is left out of images. */
  readonly empty: boolean;
}

/** What a layer that was pushed has become. */
export interface KnownLayer extends StoredLayer {
  /** Diff id of the layer as it was pushed. */
  readonly original: Digest;
  /** Digest and size under which it was pushed. */
  readonly pushed: Digest;
  readonly pushedSize: number;
}

/**
 * Remembers what pushed layers became, so that none is normalised twice and an engine is told that the registry has what
 * it pushed in an earlier run. It is a cache: a file that cannot be read counts as empty.
 */
export interface KnownLayers {
  /** By the diff id of a layer as it was pushed, or as it is stored. */
  find(diffId: Digest): StoredLayer | undefined;
  /** By the digest under which a layer was pushed. */
  findPushed(digest: Digest): KnownLayer | undefined;
  remember(layer: KnownLayer): void;
  /** Forgets layers that `has` denies. */
  retain(has: (digest: Digest) => boolean): void;
}

/** The memory kept in `folder`. */
export function openKnownLayers(folder: string, scratch: string): KnownLayers {
  const file = join(folder, 'layers.json');
  let layers: readonly KnownLayer[] = [];
  const byDiffId = new Map<Digest, KnownLayer>();
  const byPushed = new Map<Digest, KnownLayer>();
  const take = (next: readonly KnownLayer[]): void => {
    layers = next;
    byDiffId.clear();
    byPushed.clear();
    for (const layer of layers) {
      byDiffId.set(layer.diffId, layer).set(layer.original, layer);
      byPushed.set(layer.pushed, layer);
    }
  };
  const replace = (next: readonly KnownLayer[]): void => {
    take(next);
    replaceFile(file, JSON.stringify({ format: 1, normaliser: NORMALISER_VERSION, layers }), scratch);
  };
  take(readLayers(file));
  return {
    find: (diffId) => byDiffId.get(diffId),
    findPushed: (digest) => byPushed.get(digest),
    remember: (layer) => replace([...layers.filter(({ pushed }) => pushed !== layer.pushed), layer].slice(-MAX_LAYERS)),
    retain: (has) => replace(layers.filter((layer) => layer.empty || has(layer.digest))),
  };
}

function readLayers(file: string): readonly KnownLayer[] {
  try {
    const memory = JSON.parse(readFileSync(file, 'utf8')) as { format?: Json; normaliser?: Json; layers?: readonly KnownLayer[] };
    return memory.format === 1 && memory.normaliser === NORMALISER_VERSION && Array.isArray(memory.layers) ? memory.layers : [];
  } catch {
    return [];
  }
}

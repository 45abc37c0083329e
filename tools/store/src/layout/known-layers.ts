import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, type Digest } from '#core';
import { NORMALISER_VERSION } from '../normalise/normaliser-version.ts';
import { replaceFile } from './atomic-file.ts';
import { storeFault } from './store-fault.ts';

/** How many layers are remembered from run to run; of more, the newer half. */
const MAX_LAYERS = 10_000;
const HEADER = { format: 2, normaliser: NORMALISER_VERSION } as const;

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

/** The memory kept in `folder`: a line on its format, and one for each layer in the order in which they were met. */
export function openKnownLayers(folder: string, scratch: string): KnownLayers {
  const file = join(folder, 'layers.jsonl');
  const byDiffId = new Map<Digest, KnownLayer>();
  const byPushed = new Map<Digest, KnownLayer>();
  const take = (layer: KnownLayer): void => {
    byDiffId.set(layer.diffId, layer).set(layer.original, layer);
    byPushed.delete(layer.pushed);
    byPushed.set(layer.pushed, layer);
  };
  const replace = (layers: readonly KnownLayer[]): void => {
    byDiffId.clear();
    byPushed.clear();
    layers.forEach(take);
    replaceFile(file, [HEADER, ...layers].map(lineOf).join(''), scratch);
    stale = false;
  };
  const { layers, whole } = readLayers(file);
  const kept = layers.length <= MAX_LAYERS ? layers : layers.slice(-MAX_LAYERS / 2);
  kept.forEach(take);
  // Written anew with the next change: opening a store on a full disk must not fail.
  let stale = !whole || kept !== layers;
  return {
    find: (diffId) => byDiffId.get(diffId),
    findPushed: (digest) => byPushed.get(digest),
    remember(layer) {
      take(layer);
      if (stale) return replace([...byPushed.values()]);
      try {
        appendFileSync(file, lineOf(layer));
      } catch (thrown) {
        stale = true;
        throw storeFault(thrown, file);
      }
    },
    retain: (has) => replace([...byPushed.values()].filter((layer) => layer.empty || has(layer.digest))),
  };
}

function lineOf(value: typeof HEADER | KnownLayer): string {
  return `${JSON.stringify(value)}\n`;
}

/** The layers of the file, `whole` where nothing else is in it: a killed run may have left part of a line. */
function readLayers(file: string): { readonly layers: readonly KnownLayer[]; readonly whole: boolean } {
  try {
    const [header, ...lines] = readFileSync(file, 'utf8').split('\n');
    if (`${header}\n` !== lineOf(HEADER)) return { layers: [], whole: false };
    const end = lines.pop();
    const layers = lines.map(parseLayer);
    return { layers: layers.filter((layer) => layer !== undefined), whole: end === '' && !layers.includes(undefined) };
  } catch {
    return { layers: [], whole: false };
  }
}

function parseLayer(line: string): KnownLayer | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isLayer = isRecord(value) && ['original', 'diffId', 'digest', 'pushed'].every((key) => typeof value[key] === 'string');
    return isLayer ? (value as unknown as KnownLayer) : undefined;
  } catch {
    return undefined;
  }
}

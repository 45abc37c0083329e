import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord, type Digest } from '#core';
import { NORMALISER_VERSION } from '../normalise/normaliser-version.ts';
import { storeFault } from '../store-fault.ts';
import { writeFileAtomicSync } from './atomic-file.ts';

/** Maximum number of layers kept between runs; if there are more, only the newer half is kept. */
const MAX_LAYERS = 10_000;
const HEADER = { format: 2, normaliser: NORMALISER_VERSION } as const;

/** A layer in its canonical form. */
export interface StoredLayer {
  readonly diffId: Digest;
  /** Size of the tar in bytes. */
  readonly unpacked: number;
  readonly digest: Digest;
  /** Compressed size in bytes. */
  readonly size: number;
  /** True if it has no members; such a layer is omitted from images. */
  readonly empty: boolean;
}

/** A stored layer and the pushed layer that it was made from. */
export interface KnownLayer extends StoredLayer {
  /** Diff id of the layer as it was pushed. */
  readonly original: Digest;
  /** Digest and size of the pushed blob. */
  readonly pushed: Digest;
  readonly pushedSize: number;
}

/**
 * Maps pushed layers to stored layers, so that no layer is normalised twice and engines do not push
 * a layer again that they pushed in an earlier run. It is a cache: an unreadable file is empty.
 */
export interface KnownLayers {
  /** By the diff id of the pushed or the stored layer. */
  find(diffId: Digest): StoredLayer | undefined;
  /** By the digest of the pushed blob. */
  findPushed(digest: Digest): KnownLayer | undefined;
  remember(layer: KnownLayer): void;
  /** Removes layers for which `has` returns false. */
  retain(has: (digest: Digest) => boolean): void;
}

/** Opens `folder`/layers.jsonl: a header line, then one line per layer in the order of arrival. */
export function openKnownLayers(folder: string, scratch: string): KnownLayers {
  const file = join(folder, 'layers.jsonl');
  const byDiffId = new Map<Digest, KnownLayer>();
  const byPushed = new Map<Digest, KnownLayer>();
  const add = (layer: KnownLayer): void => {
    byDiffId.set(layer.diffId, layer).set(layer.original, layer);
    byPushed.delete(layer.pushed);
    byPushed.set(layer.pushed, layer);
  };
  const replace = (layers: readonly KnownLayer[]): void => {
    byDiffId.clear();
    byPushed.clear();
    layers.forEach(add);
    writeFileAtomicSync(file, [HEADER, ...layers].map(lineOf).join(''), scratch);
    mustRewrite = false;
  };
  const { layers, whole } = readLayers(file);
  const kept = layers.length <= MAX_LAYERS ? layers : layers.slice(-MAX_LAYERS / 2);
  kept.forEach(add);
  // The file is rewritten on the next change: opening a store on a full disk must not fail.
  let mustRewrite = !whole || kept !== layers;
  return {
    find: (diffId) => byDiffId.get(diffId),
    findPushed: (digest) => byPushed.get(digest),
    remember(layer) {
      add(layer);
      if (mustRewrite) return replace([...byPushed.values()]);
      try {
        appendFileSync(file, lineOf(layer));
      } catch (thrown) {
        mustRewrite = true;
        throw storeFault(thrown, file);
      }
    },
    retain: (has) =>
      replace([...byPushed.values()].filter((layer) => layer.empty || has(layer.digest))),
  };
}

function lineOf(value: typeof HEADER | KnownLayer): string {
  return `${JSON.stringify(value)}\n`;
}

/**
 * The file's layers; `whole` is false if some lines are invalid: a killed run can leave part of a
 * line.
 */
function readLayers(file: string): {
  readonly layers: readonly KnownLayer[];
  readonly whole: boolean;
} {
  try {
    const [header, ...lines] = readFileSync(file, 'utf8').split('\n');
    if (`${header}\n` !== lineOf(HEADER)) return { layers: [], whole: false };
    const end = lines.pop();
    const layers = lines.map(parseLayer);
    return {
      layers: layers.filter((layer) => layer !== undefined),
      whole: end === '' && !layers.includes(undefined),
    };
  } catch {
    return { layers: [], whole: false };
  }
}

function parseLayer(line: string): KnownLayer | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isLayer =
      isRecord(value) &&
      ['original', 'diffId', 'digest', 'pushed'].every((key) => typeof value[key] === 'string');
    return isLayer ? (value as unknown as KnownLayer) : undefined;
  } catch {
    return undefined;
  }
}

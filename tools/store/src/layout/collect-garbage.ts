import { readdirSync } from 'node:fs';
import { digestFromHex, type Digest, type Fingerprint, type Sha256 } from '#core';
import type { Blobs } from './blobs.ts';
import type { KnownLayers } from './known-layers.ts';
import type { LayerListings } from './layer-listings.ts';
import { reachable } from './stored-documents.ts';
import type { NamedImages } from './store-index.ts';

/** The parts of a store that garbage collection changes. */
export interface Garbage {
  /** Folder of `blobs`. */
  readonly blobFolder: string;
  readonly blobs: Blobs;
  readonly named: NamedImages;
  readonly known: KnownLayers;
  readonly listings: LayerListings;
  /** Digests of manifests that were sealed and will be named. */
  readonly unnamed: ReadonlySet<Digest>;
}

/**
 * Removes the names of images whose fingerprint is not in `keep`, then all blobs that no named or
 * sealed image uses. Returns the bytes freed.
 */
export async function collectGarbage(
  { blobFolder, blobs, named, known, listings, unnamed }: Garbage,
  keep: ReadonlySet<Fingerprint>,
): Promise<number> {
  const sweep = (): number => {
    const used = reachable(blobs, [...named.entries().map((entry) => entry.digest), ...unnamed]);
    let freed = 0;
    for (const name of readdirSync(blobFolder)) {
      const digest = digestFromHex(name as Sha256);
      if (used.has(digest)) continue;
      freed += blobs.fileSize(digest) ?? 0;
      blobs.remove(digest);
    }
    return freed;
  };
  // Unused blobs are removed first: on a full disk there is no space yet to write the index.
  const freedBefore = sweep();
  await named.retain(keep);
  const freed = freedBefore + sweep();
  const isStored = (digest: Digest): boolean => blobs.fileSize(digest) !== undefined;
  known.retain(isStored);
  listings.retain(isStored);
  return freed;
}

import { readdirSync } from 'node:fs';
import { digestFromHex, type Digest, type Fingerprint, type Sha256 } from '#core';
import type { Blobs } from './blobs.ts';
import type { KnownLayers } from './known-layers.ts';
import { reachable } from './stored-documents.ts';
import type { NamedImages } from './store-index.ts';

/** What is swept. */
export interface Garbage {
  /** Where `blobs` are. */
  readonly blobFolder: string;
  readonly blobs: Blobs;
  readonly named: NamedImages;
  readonly known: KnownLayers;
  /** Manifests that are about to be named. */
  readonly unnamed: ReadonlySet<Digest>;
}

/** Drops the names of images whose fingerprint is not in `keep`, then every blob that nothing named, or about to be, needs; the bytes freed. */
export async function collectGarbage({ blobFolder, blobs, named, known, unnamed }: Garbage, keep: ReadonlySet<Fingerprint>): Promise<number> {
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
  // What no name needs goes first: on a full disk there is no room yet to write the names anew.
  const freedBefore = sweep();
  await named.retain(keep);
  const freed = freedBefore + sweep();
  known.retain((digest) => blobs.fileSize(digest) !== undefined);
  return freed;
}

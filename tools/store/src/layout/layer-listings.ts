import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { digestFromHex, hexOf, type Digest, type Sha256 } from '#core';
import { scanTar } from '#formats/tar';
import { makeFolder } from '#host';
import type { LayerListing } from '#ports';
import { canonicalLayer } from '../normalise/canonical-layer.ts';
import { listLayer } from '../normalise/list-layer.ts';
import { listingText, parseListing } from '../normalise/listing-text.ts';
import { fileSource, unpackLayer } from '../normalise/unpack-layer.ts';
import type { Blobs } from './blobs.ts';

/** Listings of stored layers, one file per layer. It is a cache: unreadable files are ignored. */
export interface LayerListings {
  /** The listing; of a layer without a file, from its blob. Throws `store-corrupt`. */
  read(layer: Digest): Promise<LayerListing>;
  /** Moves a file with a `listingText` on the same disk here. A missing file is ignored. */
  adopt(file: string, layer: Digest): void;
  /** Removes listings of layers for which `has` returns false. */
  retain(has: (layer: Digest) => boolean): void;
}

/** Opens the listings in `folder` of layers in `blobs`, whose unpacked size is at most `limit`. */
export function openLayerListings(folder: string, blobs: Blobs, limit: number): LayerListings {
  const cached = new Map<Digest, Promise<LayerListing>>();
  const fileOf = (layer: Digest): string => join(folder, hexOf(layer));
  const adopt = (file: string, layer: Digest): void => {
    try {
      makeFolder(folder);
      renameSync(file, fileOf(layer));
    } catch {
      // Made again from the blob when it is needed.
    }
  };
  const load = async (layer: Digest): Promise<LayerListing> => {
    const kept = readListing(fileOf(layer));
    if (kept !== undefined) return kept;
    await blobs.verify(layer);
    const listing = await listBlob(blobs.path(layer), blobs.scratch(), limit);
    const file = blobs.scratch();
    writeFileSync(file, listingText(listing));
    adopt(file, layer);
    return listing;
  };
  return {
    adopt,
    read(layer) {
      const known = cached.get(layer);
      if (known !== undefined) return known;
      const loading = load(layer);
      cached.set(layer, loading);
      loading.catch(() => cached.delete(layer));
      return loading;
    },
    retain(has) {
      for (const name of namesIn(folder))
        if (!has(digestFromHex(name as Sha256))) rmSync(join(folder, name), { force: true });
    },
  };
}

function readListing(file: string): LayerListing | undefined {
  try {
    return parseListing(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

async function listBlob(blob: string, spoolPath: string, limit: number): Promise<LayerListing> {
  const spool = await open(spoolPath, 'wx+');
  try {
    await unpackLayer(blob, spool, limit);
    const source = fileSource(spool.fd);
    return listLayer(canonicalLayer(scanTar(source)), source);
  } finally {
    await spool.close();
    rmSync(spoolPath, { force: true });
  }
}

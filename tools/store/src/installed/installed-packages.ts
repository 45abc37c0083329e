import { join } from 'node:path';
import { hexOf, type Digest, type Json } from '#core';
import type { Memo } from '#ports';
import { asRecord, readManifest } from '../layout/oci.ts';
import { storedContent } from '../layout/stored-content.ts';
import { scanLayer } from '../normalise/scan-layer.ts';
import { isAtOrBelow } from '../normalise/whiteouts.ts';
import { layerFacts, type LayerFacts } from './layer-facts.ts';
import type { InstalledDebian, InstalledPackages, InstalledPython } from './types.ts';

/**
 * Reads the packages in the layers of a stored image. Facts about a layer are cached by its digest.
 * Throws `store-corrupt`, `layer-invalid` and file system errors.
 */
export async function installedPackages(
  folder: string,
  image: Digest,
  memo: Memo,
): Promise<InstalledPackages> {
  const content = storedContent(folder);
  const value = asRecord(
    JSON.parse(Buffer.from(content.document(image)).toString()),
    'the manifest',
  );
  let debian: readonly InstalledDebian[] = [];
  const python = new Map<string, InstalledPython>();
  for (const { digest } of readManifest(value).layers) {
    const facts = await factsOf(join(folder, 'blobs', 'sha256', hexOf(digest)), digest, memo);
    for (const removed of facts.removed)
      for (const path of python.keys()) if (isAtOrBelow(path, removed)) python.delete(path);
    if (facts.debian !== undefined) debian = facts.debian;
    for (const each of facts.python) python.set(each.path, each);
  }
  return { debian, python: [...python.values()] };
}

/** Raised by `peek` if nothing is cached. */
const UNKNOWN = new Error('not cached');

async function factsOf(layer: string, digest: Digest, memo: Memo): Promise<LayerFacts> {
  const key = `layer-facts 1 ${digest}`;
  const known = peek(memo, key);
  if (known !== undefined) return known as unknown as LayerFacts;
  const facts = await scanLayer(layer, layerFacts);
  return memo.recall(key, () => facts as unknown as Json) as unknown as LayerFacts;
}

/** The cached value of a key. The computation is asynchronous, and `recall` is not. */
function peek(memo: Memo, key: string): Json | undefined {
  try {
    return memo.recall(key, () => {
      throw UNKNOWN;
    });
  } catch (thrown) {
    if (thrown === UNKNOWN) return undefined;
    throw thrown;
  }
}

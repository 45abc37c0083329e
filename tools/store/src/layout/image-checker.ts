import { join } from 'node:path';
import type { Digest } from '#core';
import { openBlobs } from './blobs.ts';
import { isWhole } from './stored-documents.ts';

/** Which blobs of an image are checked: only the `manifest` (one system call), or `all`. */
export type CheckDepth = 'manifest' | 'all';

/**
 * Returns a function that checks stored images: the checked blobs exist and are undamaged, by their
 * modification time or by their hash. The store in `folder` need not be open. Only modification
 * times of hashed blobs are written.
 */
export function imageChecker(folder: string, depth: CheckDepth): (digest: Digest) => boolean {
  const blobs = openBlobs(join(folder, 'blobs', 'sha256'), join(folder, 'incoming', 'scratch'));
  return depth === 'all'
    ? (digest) => isWhole(blobs, digest)
    : (digest) => blobs.size(digest) !== undefined;
}

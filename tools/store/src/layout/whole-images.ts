import { join } from 'node:path';
import type { Digest } from '#core';
import { openBlobs } from './blobs.ts';
import { isWhole } from './stored-documents.ts';

/** How much of an image is looked at: its `manifest` alone, one call of the system, or `all` that it is made of. */
export type Look = 'manifest' | 'all';

/**
 * Tells of images that the store in `folder` names whether a run can rely on them: what is looked at is there, and was not written to
 * since it came or still hashes to its name. The store need not be open; nothing of it is written but the times of blobs that were read.
 */
export function wholeImages(folder: string, look: Look): (digest: Digest) => boolean {
  const blobs = openBlobs(join(folder, 'blobs', 'sha256'), join(folder, 'incoming', 'scratch'));
  return look === 'all' ? (digest) => isWhole(blobs, digest) : (digest) => blobs.size(digest) !== undefined;
}

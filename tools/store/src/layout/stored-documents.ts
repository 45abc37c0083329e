import { CcpError, type Digest, type Json } from '#core';
import type { Blobs } from './blobs.ts';
import { asRecord, readManifest } from './oci.ts';

/** The manifest and configuration of an image. Throws `store-corrupt`. */
export function inspectImage(
  blobs: Blobs,
  digest: Digest,
): { readonly manifest: Json; readonly config: Json } {
  const manifest = blobs.document(digest).json;
  return { manifest, config: blobs.document(readManifest(manifest).config).json };
}

/** Hashes all blobs of an image. Throws `store-corrupt` for the first missing or damaged one. */
export async function verifyImage(blobs: Blobs, digest: Digest): Promise<void> {
  for (const blob of reachable(blobs, [digest])) await blobs.verify(blob);
}

/**
 * True if an image's manifest, configuration and layers are stored with the sizes in the manifest.
 */
export function isWhole(blobs: Blobs, digest: Digest): boolean {
  if (blobs.size(digest) === undefined) return false;
  try {
    const { config, layers } = readManifest(blobs.document(digest).json);
    return (
      blobs.size(config) !== undefined &&
      layers.every((layer) => blobs.size(layer.digest) === layer.size)
    );
  } catch (thrown) {
    if (thrown instanceof CcpError || thrown instanceof TypeError) return false;
    throw thrown;
  }
}

/** Digests of `roots` and of all blobs they refer to, directly or not. Throws `store-corrupt`. */
export function reachable(blobs: Blobs, roots: Iterable<Digest>): ReadonlySet<Digest> {
  const seen = new Set<Digest>();
  const visit = (digest: Digest): void => {
    if (seen.has(digest)) return;
    seen.add(digest);
    const document = asRecord(blobs.document(digest).json, `blob ${digest}`);
    for (const child of listed(document['manifests'])) visit(child);
    for (const leaf of [...listed([document['config']]), ...listed(document['layers'])])
      seen.add(leaf);
  };
  for (const root of roots) visit(root);
  return seen;
}

function listed(value: unknown): readonly Digest[] {
  if (!Array.isArray(value)) return [];
  return (value as { digest?: Digest }[])
    .map((descriptor) => descriptor?.digest)
    .filter((digest) => digest !== undefined);
}

import { CcpError, type Digest, type Json } from '#core';
import { asRecord, readManifest } from '../seal/oci.ts';
import type { Blobs } from './blobs.ts';

/** The manifest and configuration of an image. Raises `store-corrupt`. */
export function inspectImage(blobs: Blobs, digest: Digest): { readonly manifest: Json; readonly config: Json } {
  const manifest = blobs.document(digest).json;
  return { manifest, config: blobs.document(readManifest(manifest).config).json };
}

/** Reads every blob of an image; raises `store-corrupt` naming the first that is missing or damaged. */
export async function verifyImage(blobs: Blobs, digest: Digest): Promise<void> {
  for (const blob of reachable(blobs, [digest])) await blobs.verify(blob);
}

/** True where the manifest, the configuration and every layer of an image are there, by `size` of the blobs, and as long as the manifest says. */
export function isWhole(blobs: Blobs, digest: Digest): boolean {
  if (blobs.size(digest) === undefined) return false;
  try {
    const { config, layers } = readManifest(blobs.document(digest).json);
    return blobs.size(config) !== undefined && layers.every((layer) => blobs.size(layer.digest) === layer.size);
  } catch (thrown) {
    if (thrown instanceof CcpError || thrown instanceof TypeError) return false;
    throw thrown;
  }
}

/** Digests of all blobs that the documents in `roots` name, themselves included. Raises `store-corrupt`. */
export function reachable(blobs: Blobs, roots: Iterable<Digest>): ReadonlySet<Digest> {
  const seen = new Set<Digest>();
  const visit = (digest: Digest): void => {
    if (seen.has(digest)) return;
    seen.add(digest);
    const document = asRecord(blobs.document(digest).json, `blob ${digest}`);
    for (const child of listed(document['manifests'])) visit(child);
    for (const leaf of [...listed([document['config']]), ...listed(document['layers'])]) seen.add(leaf);
  };
  for (const root of roots) visit(root);
  return seen;
}

function listed(value: unknown): readonly Digest[] {
  if (!Array.isArray(value)) return [];
  return (value as { digest?: Digest }[]).map((descriptor) => descriptor?.digest).filter((digest) => digest !== undefined);
}

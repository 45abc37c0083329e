import { digestOf, hexOf, isDigest, messageOf } from '#core';
import type { Descriptor, Registry } from '#ports';
import { invalidAnswer } from './registry-error.ts';

const INDEX = 'application/vnd.oci.image.index.v1+json';

/** The descriptors of an index that lists referrers. Raises `registry-invalid`. */
export function listReferrers(bytes: Uint8Array, host: string, what: string): readonly Descriptor[] {
  try {
    const { manifests } = JSON.parse(Buffer.from(bytes).toString()) as { manifests?: unknown };
    if (!Array.isArray(manifests)) throw new Error('it has no list of manifests');
    for (const entry of manifests as Partial<Descriptor>[]) {
      if (typeof entry?.mediaType !== 'string' || typeof entry.digest !== 'string' || !isDigest(entry.digest) || !Number.isSafeInteger(entry.size)) {
        throw new Error('it lists what is no descriptor');
      }
    }
    return manifests as Descriptor[];
  } catch (thrown) {
    throw invalidAnswer(host, what, messageOf(thrown));
  }
}

/**
 * Adds a manifest that has a subject to the subject's fallback tag (`sha256-HEX`), for registries that keep no list of
 * referrers themselves; nothing is done for one without a subject.
 */
export async function recordReferrer(registry: Registry, repository: string, mediaType: string, bytes: Uint8Array): Promise<void> {
  const manifest = JSON.parse(Buffer.from(bytes).toString()) as {
    subject?: { digest?: unknown };
    artifactType?: string;
    config?: { mediaType?: string };
    annotations?: Record<string, string>;
  };
  const subject = manifest.subject?.digest;
  if (typeof subject !== 'string' || !isDigest(subject)) return;
  const tag = `sha256-${hexOf(subject)}`;
  const held = await registry.readManifest(repository, tag);
  const artifactType = manifest.artifactType ?? manifest.config?.mediaType;
  const entry: Descriptor = {
    mediaType,
    digest: digestOf(bytes),
    size: bytes.length,
    ...(artifactType === undefined ? {} : { artifactType }),
    ...(manifest.annotations === undefined ? {} : { annotations: manifest.annotations }),
  };
  const others = held === undefined ? [] : listReferrers(held.bytes, repository, `read the referrers of ${subject}`);
  const manifests = [...others.filter((other) => other.digest !== entry.digest), entry];
  await registry.writeManifest(repository, tag, INDEX, Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests })));
}

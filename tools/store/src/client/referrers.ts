import { digestOf, hexOf, isDigest, messageOf, omitUndefined } from '#core';
import type { Descriptor, Registry } from '#ports';
import { invalidResponse } from './registry-error.ts';

const INDEX = 'application/vnd.oci.image.index.v1+json';

/** The descriptors in an index of referrers. Throws `registry-invalid`. */
export function listReferrers(
  bytes: Uint8Array,
  host: string,
  action: string,
): readonly Descriptor[] {
  try {
    const { manifests } = JSON.parse(Buffer.from(bytes).toString()) as { manifests?: unknown };
    if (!Array.isArray(manifests)) throw new Error('the response has no "manifests" list');
    for (const entry of manifests as Partial<Descriptor>[]) {
      if (
        typeof entry?.mediaType !== 'string' ||
        typeof entry.digest !== 'string' ||
        !isDigest(entry.digest) ||
        !Number.isSafeInteger(entry.size)
      ) {
        throw new Error('its "manifests" list has an invalid descriptor');
      }
    }
    return manifests as Descriptor[];
  } catch (thrown) {
    throw invalidResponse(host, action, messageOf(thrown));
  }
}

/**
 * Adds a manifest with a subject to the index under the subject's fallback tag (`sha256-HEX`), for
 * registries without the referrers API. Does nothing for a manifest without a subject.
 */
export async function recordReferrer(
  registry: Registry,
  repository: string,
  mediaType: string,
  bytes: Uint8Array,
): Promise<void> {
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
    ...omitUndefined({ artifactType }),
    ...omitUndefined({ annotations: manifest.annotations }),
  };
  const others =
    held === undefined
      ? []
      : listReferrers(held.bytes, repository, `read the referrers of ${subject}`);
  const manifests = [...others.filter((other) => other.digest !== entry.digest), entry];
  await registry.writeManifest(
    repository,
    tag,
    INDEX,
    Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests })),
  );
}

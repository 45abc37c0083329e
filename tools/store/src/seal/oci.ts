import { isDigest, isRecord, type Digest, type Json } from '#core';

/** Media types that are read and written. */
export const MEDIA = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
} as const;

/** A blob a manifest names; a type and no interface, so that it counts as JSON. */
export type BlobReference = { readonly mediaType: string; readonly digest: Digest; readonly size: number };

/** An object of an untrusted document. Raises a `TypeError` that says which member is wrong. */
export function asRecord(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw new TypeError(`${what} is not an object`);
}

/** A list of an untrusted document. Raises a `TypeError`. */
export function asList(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value) && value.length <= 10_000) return value;
  throw new TypeError(`${what} is not a list`);
}

/** A digest of an untrusted document. Raises a `TypeError`. */
function asDigest(value: unknown, what: string): Digest {
  if (typeof value === 'string' && isDigest(value)) return value;
  throw new TypeError(`${what} is not a sha256 digest`);
}

/** A text of an untrusted document. Raises a `TypeError`. */
export function asText(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`${what} is not a text`);
}

/** Texts by key; empty where `value` is absent or null. Raises a `TypeError`. */
export function asTexts(value: unknown, what: string): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  return Object.fromEntries(Object.entries(asRecord(value, what)).map(([key, text]) => [key, asText(text, `${what} ${key}`)]));
}

/** A manifest's configuration and layers. Raises a `TypeError`. */
export function readManifest(manifest: unknown): { readonly config: Digest; readonly layers: readonly BlobReference[] } {
  const record = asRecord(manifest, 'the manifest');
  const blob = (value: unknown, what: string): BlobReference => {
    const reference = asRecord(value, what);
    const size = Number(reference['size']);
    if (!Number.isSafeInteger(size) || size < 0) throw new TypeError(`the size of ${what} is not a size`);
    return { mediaType: asText(reference['mediaType'], `the media type of ${what}`), digest: asDigest(reference['digest'], `the digest of ${what}`), size };
  };
  return {
    config: blob(record['config'], 'the configuration').digest,
    layers: asList(record['layers'], 'layers').map((layer, index) => blob(layer, `layer ${index + 1}`)),
  };
}

/** The diff ids of a configuration. Raises a `TypeError`. */
export function readDiffIds(config: unknown): readonly Digest[] {
  const rootfs = asRecord(asRecord(config, 'the configuration')['rootfs'], 'rootfs');
  return asList(rootfs['diff_ids'], 'diff_ids').map((id, index) => asDigest(id, `diff id ${index + 1}`));
}

/** `value` as a member of canonical JSON: undefined where it is empty, null or absent. */
export function unlessEmpty(value: unknown): Json | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'object' && Object.keys(value).length === 0) return undefined;
  return value as Json;
}

import { isDigest, isRecord, type Digest, type Json } from '#core';

/** Supported media types. */
export const MEDIA = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
  dockerManifest: 'application/vnd.docker.distribution.manifest.v2+json',
} as const;

/** A blob in a manifest. A type alias, not an interface, so that it is assignable to `Json`. */
export type BlobReference = {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
};

/** Checks that a value of an untrusted document is an object. Throws `TypeError` with its name. */
export function asRecord(value: unknown, name: string): Readonly<Record<string, unknown>> {
  if (isRecord(value)) return value;
  throw new TypeError(`${name} is not an object`);
}

/** Checks that a value of an untrusted document is a list. Throws `TypeError`. */
export function asList(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value) && value.length <= 10_000) return value;
  throw new TypeError(`${name} is not a list`);
}

/** Checks that a value of an untrusted document is a digest. Throws `TypeError`. */
function asDigest(value: unknown, name: string): Digest {
  if (typeof value === 'string' && isDigest(value)) return value;
  throw new TypeError(`${name} is not a sha256 digest`);
}

/** Checks that a value of an untrusted document is a string. Throws `TypeError`. */
export function asText(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`${name} is not a string`);
}

/** Strings by key; empty if `value` is absent or null. Throws `TypeError`. */
export function asTexts(value: unknown, name: string): Readonly<Record<string, string>> {
  if (value === undefined || value === null) return {};
  return Object.fromEntries(
    Object.entries(asRecord(value, name)).map(([key, text]) => [
      key,
      asText(text, `${name} ${key}`),
    ]),
  );
}

/** A manifest's configuration and layers. Throws `TypeError`. */
export function readManifest(manifest: unknown): {
  readonly config: Digest;
  readonly layers: readonly BlobReference[];
} {
  const record = asRecord(manifest, 'the manifest');
  const blob = (value: unknown, name: string): BlobReference => {
    const reference = asRecord(value, name);
    const size = Number(reference['size']);
    if (!Number.isSafeInteger(size) || size < 0)
      throw new TypeError(`the size of ${name} is not a valid size`);
    return {
      mediaType: asText(reference['mediaType'], `the media type of ${name}`),
      digest: asDigest(reference['digest'], `the digest of ${name}`),
      size,
    };
  };
  return {
    config: blob(record['config'], 'the configuration').digest,
    layers: asList(record['layers'], 'layers').map((layer, index) =>
      blob(layer, `layer ${index + 1}`),
    ),
  };
}

/** The diff ids in a configuration. Throws `TypeError`. */
export function readDiffIds(config: unknown): readonly Digest[] {
  const rootfs = asRecord(asRecord(config, 'the configuration')['rootfs'], 'rootfs');
  return asList(rootfs['diff_ids'], 'diff_ids').map((id, index) =>
    asDigest(id, `diff id ${index + 1}`),
  );
}

/** `value` as a member of canonical JSON: undefined if it is empty, null or absent. */
export function unlessEmpty(value: unknown): Json | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'object' && Object.keys(value).length === 0) return undefined;
  return value as Json;
}

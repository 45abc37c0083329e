import {
  canonicalJson,
  digestOf,
  isDigest,
  isRecord,
  parseJson,
  type Digest,
  type Json,
} from '#core';
import type { Descriptor } from '#ports';

export const MANIFEST_TYPE = 'application/vnd.oci.image.manifest.v1+json';
const EMPTY_TYPE = 'application/vnd.oci.empty.v1+json';

/** The empty config of an artifact. */
const EMPTY = Buffer.from('{}');

/** Bytes that are stored as one blob. */
export interface Blob {
  readonly descriptor: Descriptor;
  readonly bytes: Uint8Array;
}

/** An OCI artifact: its manifest and all blobs that the manifest names. */
export interface Artifact {
  readonly digest: Digest;
  readonly manifest: Uint8Array;
  readonly blobs: readonly Blob[];
}

export interface ArtifactParts {
  readonly artifactType: string;
  readonly layers: readonly Blob[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly subject?: Pick<Descriptor, 'mediaType' | 'digest' | 'size'>;
}

/** A blob of `text` or bytes. */
export function blobOf(
  data: string | Uint8Array,
  mediaType: string,
  annotations?: Readonly<Record<string, string>>,
): Blob {
  const bytes = Buffer.from(data);
  return {
    descriptor: {
      mediaType,
      digest: digestOf(bytes),
      size: bytes.length,
      ...(annotations === undefined ? {} : { annotations }),
    },
    bytes,
  };
}

/** Makes an artifact with an empty config. It has no time, so equal parts have one digest. */
export function artifactOf({
  artifactType,
  layers,
  annotations,
  subject,
}: ArtifactParts): Artifact {
  const config = blobOf(EMPTY, EMPTY_TYPE);
  const manifest = Buffer.from(
    canonicalJson({
      schemaVersion: 2,
      mediaType: MANIFEST_TYPE,
      artifactType,
      config: config.descriptor,
      layers: layers.map(({ descriptor }) => descriptor),
      ...(annotations === undefined ? {} : { annotations }),
      ...(subject === undefined ? {} : { subject }),
    } as unknown as Json),
  );
  return { digest: digestOf(manifest), manifest, blobs: [config, ...layers] };
}

export type BlobDescriptor = Pick<Descriptor, 'mediaType' | 'digest' | 'size'>;

/** The blobs that a manifest names. */
export interface ManifestParts {
  readonly artifactType: string | undefined;
  readonly config: BlobDescriptor | undefined;
  readonly layers: readonly BlobDescriptor[];
}

/**
 * The parts of an untrusted manifest. Throws `TypeError` for a blob without type, digest or size,
 * and errors of JSON.
 */
export function manifestParts(bytes: Uint8Array): ManifestParts {
  const value = parseJson(Buffer.from(bytes).toString());
  const { artifactType, config, layers } = isRecord(value) ? value : {};
  return {
    artifactType: typeof artifactType === 'string' ? artifactType : undefined,
    config: config === undefined ? undefined : blobDescriptor(config),
    layers: (Array.isArray(layers) ? layers : []).map(blobDescriptor),
  };
}

function blobDescriptor(value: unknown): BlobDescriptor {
  const { mediaType, digest, size } = isRecord(value) ? value : {};
  if (typeof mediaType !== 'string' || typeof digest !== 'string' || !isDigest(digest))
    throw new TypeError('a blob of the manifest has no media type or digest');
  if (!Number.isSafeInteger(size) || (size as number) < 0)
    throw new TypeError(`blob ${digest} has no size`);
  return { mediaType, digest, size: size as number };
}

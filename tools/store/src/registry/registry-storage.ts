import type { Digest } from '#core';
import type { Descriptor } from '#ports';

/** A manifest and its media type. */
export interface ManifestBytes {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** The content of a registry. Callers check names and digests first. */
export interface RegistryStorage {
  /** Size in bytes of a blob that need not be pushed; undefined if it must be. */
  blobSize(digest: Digest): number | undefined;
  /** The path of a blob's file; undefined if it does not exist. */
  blobFile(digest: Digest): string | undefined;
  manifest(repository: string, reference: string): ManifestBytes | undefined;
  tags(repository: string): readonly string[];
  referrers(repository: string, digest: Digest): readonly Descriptor[];
  /** Absent if the registry is read-only. */
  readonly inbox?: RegistryInbox;
}

/** Receives the blobs and manifests that are pushed to a registry. */
export interface RegistryInbox {
  /** A new path for an upload. */
  scratch(): string;
  /** Moves a file with the digest `digest` into the inbox. */
  putBlob(file: string, digest: Digest): void;
  putManifest(repository: string, reference: string, manifest: ManifestBytes): Digest;
}

/** Maximum size of a manifest, an index or a configuration, in bytes. */
export const MAX_DOCUMENT = 4 << 20;

import type { Digest } from '#core';
import type { Descriptor } from '#ports';

/** A manifest with the media type it was written under. */
export interface ManifestBytes {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** What a registry serves from. Names and digests were checked by the caller. */
export interface RegistryStorage {
  /** Bytes of a blob that need not be sent again; undefined where it must. */
  blobSize(digest: Digest): number | undefined;
  /** The file that holds a blob; undefined where none does. */
  blobFile(digest: Digest): string | undefined;
  manifest(repository: string, reference: string): ManifestBytes | undefined;
  tags(repository: string): readonly string[];
  referrers(repository: string, digest: Digest): readonly Descriptor[];
  /** Absent where nothing may be pushed. */
  readonly inbox?: RegistryInbox;
}

/** Where a registry puts what is pushed. */
export interface RegistryInbox {
  /** A new path for an upload. */
  scratch(): string;
  /** Takes over a file that hashes to `digest`. */
  putBlob(file: string, digest: Digest): void;
  putManifest(repository: string, reference: string, manifest: ManifestBytes): Digest;
}

import type { Digest } from '#core';
import type { Descriptor } from '#ports';
import type { ContentDigest, Sha512Digest } from './content-digest.ts';

/** A manifest and its media type. */
export interface ManifestBytes {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** A manifest with a subject, as the referrers API lists it. */
export type Referrer = Omit<Descriptor, 'digest'> & { readonly digest: ContentDigest };

/** The content of a registry. Callers check names and digests first. */
export interface RegistryStorage {
  /** Size in bytes of a blob that need not be pushed; undefined if it must be. */
  blobSize(digest: ContentDigest): number | undefined;
  /** The path of a blob's file; undefined if it does not exist. */
  blobFile(digest: ContentDigest): string | undefined;
  manifest(repository: string, reference: string): ManifestBytes | undefined;
  /** Names of the tags, sorted by character codes. */
  tags(repository: string): readonly string[];
  referrers(repository: string, digest: ContentDigest): readonly Referrer[];
  /** Absent if the registry is read-only. */
  readonly inbox?: RegistryInbox;
}

/** Receives the blobs and manifests that are pushed to a registry. */
export interface RegistryInbox {
  /** A new path for an upload. */
  scratch(): string;
  /** Moves a file with the digest `digest` into the inbox; `alias` is its SHA-512, if known. */
  putBlob(file: string, digest: Digest, alias?: Sha512Digest): void;
  /** Returns the digest by the algorithm of `reference`, SHA-256 for a tag. */
  putManifest(repository: string, reference: string, manifest: ManifestBytes): ContentDigest;
  /** Removes a blob of the inbox; false if it is not there. */
  deleteBlob(digest: ContentDigest): boolean;
  /** Removes a tag, or a manifest with its tags, of the inbox; false if it is not there. */
  deleteManifest(repository: string, reference: string): boolean;
}

/** Maximum size of a manifest, an index or a configuration, in bytes. */
export const MAX_DOCUMENT = 4 << 20;

import type { Digest } from '#core';

/** A content descriptor of the OCI image specification. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: Digest;
  /** Bytes. */
  readonly size: number;
  /** Type of a referrer, such as a signature. */
  readonly artifactType?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Credentials for a registry. */
export interface RegistryLogin {
  readonly user: string;
  readonly password: string;
}

/** A registry of the OCI distribution specification. */
export interface Registry {
  /** `HOST` or `HOST:PORT`. */
  readonly host: string;
  hasBlob(repository: string, digest: Digest): Promise<boolean>;
  /** The size of a blob, if the registry sends it; undefined if the blob does not exist. */
  findBlob(repository: string, digest: Digest): Promise<{ readonly size?: number } | undefined>;
  /**
   * Reads a blob, never more bytes than its descriptor's size. A size over the limit of the media
   * type is refused: 64 GiB for archives, 64 MiB for others. Reading throws `registry-damaged` if
   * the bytes end early or have another digest; see `rereadDamaged`.
   */
  readBlob(
    repository: string,
    blob: Pick<Descriptor, 'mediaType' | 'digest' | 'size'>,
  ): Promise<AsyncIterable<Uint8Array>>;
  writeBlob(
    repository: string,
    digest: Digest,
    size: number,
    data: () => AsyncIterable<Uint8Array>,
  ): Promise<void>;
  /** Makes a blob of another repository available; false if it must be written. */
  mountBlob(repository: string, digest: Digest, from: string): Promise<boolean>;
  readManifest(
    repository: string,
    reference: string,
  ): Promise<{ readonly mediaType: string; readonly bytes: Uint8Array } | undefined>;
  /** The digest of a manifest; undefined if it does not exist. */
  manifestDigest(repository: string, reference: string): Promise<Digest | undefined>;
  /** All tags of a repository; empty if it does not exist. */
  tags(repository: string): Promise<readonly string[]>;
  writeManifest(
    repository: string,
    reference: string,
    mediaType: string,
    bytes: Uint8Array,
  ): Promise<Digest>;
  /** Descriptors of the manifests with this subject. */
  referrers(repository: string, digest: Digest): Promise<readonly Descriptor[]>;
}

import type { CcpError, Digest, Fingerprint, ImageName, Json, Platform, Series } from '#core';

/** A stored image as the OCI layout has it. */
export interface StoredImage {
  readonly image: ImageName;
  readonly series: Series;
  readonly platform: Platform;
  readonly fingerprint: Fingerprint;
  /** SHA-256 over the record with parents named by digest; the key of early cutoff. */
  readonly contentKey: string;
  /** Digest of the image manifest. */
  readonly digest: Digest;
  /** Bytes of all layers unpacked, and as stored. */
  readonly size: number;
  readonly compressedSize: number;
}

/** What is written on the outside of a built image: everything in its config that does not come from the Dockerfile. */
export interface ImageIdentity {
  readonly image: ImageName;
  readonly series: Series;
  readonly platform: Platform;
  readonly fingerprint: Fingerprint;
  readonly contentKey: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Manifest digest of the image the runtime stage stands on; absent for a base. */
  readonly base?: Digest;
}

/**
 * Keeps normalised images by digest. A method that writes is atomic: after a kill at any time either all is there or
 * nothing is under a final name. Raises `store-corrupt`, `store-full` (no space) and `store-busy` (locked by another run).
 */
export interface ImageStore {
  /** `127.0.0.1:PORT`: where an engine pushes to and pulls from, while the store is open. */
  readonly address: string;
  /** The reference under which an engine pushes what it built. */
  incoming(identity: Pick<ImageIdentity, 'image' | 'fingerprint'>): string;
  /** Why the store refused a push to `incoming` (`store-full`): an engine tells only that it was denied. Undefined where it did not. */
  refusal(identity: Pick<ImageIdentity, 'image'>): CcpError | undefined;
  /** The reference under which an engine pulls a stored image. */
  reference(image: ImageName, digest: Digest): string;
  /**
   * Normalises what was pushed to `incoming` and grafts it on its base. Same push, same digest. The result can be pulled by
   * digest while the store is open, so that it can be tested; it has no name, and no lookup finds it, before `publish`.
   * Raises `push-missing` where nothing was pushed.
   */
  seal(identity: ImageIdentity, signal?: AbortSignal): Promise<StoredImage>;
  /** Gives a sealed image its names (fingerprint, content key, tag), all at once. */
  publish(sealed: StoredImage): Promise<void>;
  /** Names an image already stored by another fingerprint too (early cutoff). */
  alias(identity: Pick<ImageIdentity, 'fingerprint' | 'contentKey'>, known: StoredImage): Promise<StoredImage>;
  /** An image that is named so and whole: one of which a part is missing or was written to is not found, so it is built again. */
  byFingerprint(fingerprint: Fingerprint): StoredImage | undefined;
  /** As `byFingerprint`. */
  byContentKey(contentKey: string): StoredImage | undefined;
  list(): readonly StoredImage[];
  /** The image's manifest and config as JSON. */
  inspect(digest: Digest): Promise<{ readonly manifest: Json; readonly config: Json }>;
  /** Reads every blob of the image again; raises `store-corrupt` naming the blob. */
  verify(digest: Digest): Promise<void>;
  /** Drops images whose fingerprint is not in `keep`, then blobs nothing names; resolves with the bytes freed. */
  collect(keep: ReadonlySet<Fingerprint>): Promise<number>;
  close(): Promise<void>;
}

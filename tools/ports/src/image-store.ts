import type { CcpError, Digest, Fingerprint, ImageName, Json, Platform, Series } from '#core';
import type { Descriptor, RegistryLogin } from './registry.ts';

/** An image in the store. */
export interface StoredImage {
  readonly image: ImageName;
  readonly series: Series;
  readonly platform: Platform;
  readonly fingerprint: Fingerprint;
  /** SHA-256 of the record with parents named by digest; the key for early cutoff. */
  readonly contentKey: string;
  /** Digest of the image manifest. */
  readonly digest: Digest;
  /** Bytes of all layers: uncompressed, and as stored. */
  readonly size: number;
  readonly compressedSize: number;
}

/** The parts of an image's config that do not come from the Dockerfile. */
export interface ImageIdentity {
  readonly image: ImageName;
  readonly series: Series;
  readonly platform: Platform;
  readonly fingerprint: Fingerprint;
  readonly contentKey: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Manifest digest of the parent of the runtime stage; absent for a base image. */
  readonly base?: Digest;
}

type BlobDescriptor = Pick<Descriptor, 'mediaType' | 'digest' | 'size'>;

/** Reads stored blobs by digest; throws `store-corrupt` for a missing or damaged one. */
export interface ImageContent {
  /** A manifest or a configuration. */
  document(digest: Digest): Uint8Array;
  blob(digest: Digest): AsyncIterable<Uint8Array>;
}

/** A path in a layer or an image. */
export interface LayerMember {
  /** Relative to the root. One character per byte (`latin1`): names need not be valid UTF-8. */
  readonly path: string;
  /** File, directory, symbolic link or named pipe. All names of a hard link are files. */
  readonly type: 'f' | 'd' | 'l' | 'p';
  /** Permission bits with setuid, setgid and sticky. */
  readonly mode: number;
  /** True for files that start with the magic number of ELF. */
  readonly elf: boolean;
  /** A symbolic link's text; else empty. */
  readonly target: string;
}

/** The members of a stored layer in tree order, parents first, with its whiteouts. */
export interface LayerListing {
  readonly members: readonly LayerMember[];
  /** Lines of `etc/passwd`, if the layer has that file. */
  readonly users?: readonly string[];
}

/**
 * Stores normalised images by digest. Writes are atomic: if the process is killed, either the
 * complete result or nothing has a final name. Throws `store-corrupt`, `store-full` (no space) and
 * `store-busy` (locked by another process).
 */
export interface ImageStore {
  /** `127.0.0.1:PORT`: address for pushes and pulls by engines while the store is open. */
  readonly address: string;
  /**
   * Credentials for pushes to `address`, and for pulls by clients that log in first (Docker does,
   * BuildKit and containerd do not). Secret, and new for each process.
   */
  readonly login: RegistryLogin;
  /** The reference to which an engine pushes a built image. */
  incoming(identity: Pick<ImageIdentity, 'image' | 'fingerprint'>): string;
  /**
   * Why the store rejected a push to `incoming` (`store-full`), because engines only report
   * "denied". Undefined if it was not rejected.
   */
  refusal(identity: Pick<ImageIdentity, 'image'>): CcpError | undefined;
  /** The reference from which an engine pulls a stored image. */
  reference(image: ImageName, digest: Digest): string;
  /**
   * Normalises the image pushed to `incoming`, moves its layers onto its normalised base, and
   * stores it. Equal pushes have equal digests. The result can be pulled by digest while the store
   * is open, so that it can be tested. It has no name before `publish`, and no lookup finds it.
   * `pushed` is the manifest digest that the engine reported. Throws `push-missing` if nothing was
   * pushed, and `push-replaced` if `incoming` has another manifest.
   */
  seal(identity: ImageIdentity, pushed: Digest, signal?: AbortSignal): Promise<StoredImage>;
  /** Names a sealed image atomically: by fingerprint, content key and tag. */
  publish(sealed: StoredImage): Promise<void>;
  /** Adds another fingerprint to a stored image (early cutoff). */
  alias(
    identity: Pick<ImageIdentity, 'fingerprint' | 'contentKey'>,
    known: StoredImage,
  ): Promise<StoredImage>;
  /**
   * A complete image with this name. Images with missing or changed parts are not found and so are
   * built again.
   */
  byFingerprint(fingerprint: Fingerprint): StoredImage | undefined;
  /** Like `byFingerprint`. */
  byContentKey(contentKey: string): StoredImage | undefined;
  list(): readonly StoredImage[];
  /**
   * Copies an image that another builder stored, and names it. `read` returns the bytes of the
   * blobs of its manifest; blobs that are stored already are not read. Throws `store-corrupt` for
   * other bytes.
   */
  adopt(
    image: StoredImage,
    manifest: Uint8Array,
    read: (blob: BlobDescriptor) => Promise<AsyncIterable<Uint8Array>>,
  ): Promise<void>;
  /** The image's manifest and config as JSON. */
  inspect(digest: Digest): Promise<{ readonly manifest: Json; readonly config: Json }>;
  /**
   * Lists a stored layer. A layer is read for this at most once, while it is sealed or by the first
   * call, and the list is stored next to the blobs.
   */
  listLayer(layer: Digest): Promise<LayerListing>;
  /** Reads and checks every blob of the image; throws `store-corrupt` with the blob's name. */
  verify(digest: Digest): Promise<void>;
  /**
   * Removes images whose fingerprint is not in `keep`, then unused blobs; resolves with the freed
   * bytes.
   */
  collect(keep: ReadonlySet<Fingerprint>): Promise<number>;
  close(): Promise<void>;
}

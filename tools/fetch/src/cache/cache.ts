import type { Sha256 } from '#core';

/** A stored file of the cache. */
export interface CacheEntry {
  readonly sha256: Sha256;
  /** Bytes. */
  readonly size: number;
}

/** Disk usage of the cache. */
export interface CacheUsage {
  /** Absolute path. */
  readonly folder: string;
  readonly entries: number;
  /** Bytes of the entries. */
  readonly size: number;
  /** Bytes of unfinished downloads and writes. */
  readonly unfinished: number;
  /** Bytes of git mirrors. */
  readonly git: number;
}

/** Selects the entries that pruning keeps. */
export interface CachePrune {
  /** Entries to keep regardless of age. */
  readonly keep?: ReadonlySet<Sha256>;
  /** Keys of derived entries to keep regardless of age. */
  readonly keepDerived?: ReadonlySet<string>;
  /** Entries and git mirrors used within this time are kept. */
  readonly olderThanMs: number;
}

/**
 * Content-addressed store of files by SHA-256, in a folder that several processes and users can
 * share. An entry is written under a temporary name, synced and renamed, so it is complete or
 * absent. Reads are hashed: on a mismatch the last bytes are withheld, the entry is removed and
 * `cache-corrupt` is raised. A full disk raises `cache-full`, missing permissions `machine-rights`,
 * any other disk error `cache-failed`.
 */
export interface Cache {
  /** Absolute path. */
  readonly folder: string;
  /** Folder of bare git mirrors. */
  readonly gitFolder: string;
  /** Folder of unfinished downloads; on the same file system as the entries. */
  readonly partialFolder: string;
  /** The entry's size, or `undefined` if it is absent; its bytes are not checked. */
  sizeOf(sha256: Sha256): number | undefined;
  /** Whether the entry exists and its bytes match; a corrupt entry is removed. */
  verify(sha256: Sha256): Promise<boolean>;
  /** Reads the entry; raises `cache-missing`, or `cache-corrupt` in place of the last bytes. */
  open(sha256: Sha256): AsyncIterable<Uint8Array>;
  /** Stores bytes; raises `checksum-mismatch` if their hash differs from `expected`. */
  put(
    data: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    expected?: Sha256,
  ): Promise<CacheEntry>;
  /** Moves a complete file of `partialFolder`, hashed by the caller, into the cache. */
  adopt(path: string, sha256: Sha256): Promise<void>;
  /** The derived entry stored under `key`, or `undefined`. */
  derived(key: string): CacheEntry | undefined;
  /** Stores bytes computed from other inputs under `key`, which must name all of these inputs. */
  putDerived(key: string, data: AsyncIterable<Uint8Array>): Promise<CacheEntry>;
  usage(): Promise<CacheUsage>;
  /**
   * Removes unused entries, unused git mirrors and files left by killed processes; resolves with
   * the bytes freed.
   */
  prune(options: CachePrune): Promise<number>;
}

import type { Sha256 } from '#core';

/** One content of the cache. */
export interface CacheEntry {
  readonly sha256: Sha256;
  /** Bytes. */
  readonly size: number;
}

/** What lies in the cache. */
export interface CacheUsage {
  /** Absolute path. */
  readonly folder: string;
  readonly entries: number;
  /** Bytes of entries; of unfinished downloads and writes; of git mirrors. */
  readonly size: number;
  readonly unfinished: number;
  readonly git: number;
}

/** What pruning leaves in the cache. */
export interface CachePrune {
  /** Entries that stay whatever their age. */
  readonly keep?: ReadonlySet<Sha256>;
  /** Keys of derived entries that stay whatever their age. */
  readonly keepDerived?: ReadonlySet<string>;
  /** Entries and git mirrors used within this time stay. */
  readonly olderThanMs: number;
}

/**
 * Bytes by their SHA-256, in a folder that processes and users may share. An entry is complete or not there: it is written
 * under a temporary name, synced and renamed. What is read is hashed on the way; bytes that do not match are never handed on
 * whole: the entry is removed and `cache-corrupt` raised. A full disk raises `cache-full`, a folder that may not be
 * used `machine-rights`, any other fault of the disk `cache-failed`.
 */
export interface Cache {
  /** Absolute path. */
  readonly folder: string;
  /** Folder of bare git mirrors. */
  readonly gitFolder: string;
  /** Folder of unfinished downloads; on the same file system as the entries. */
  readonly partialFolder: string;
  /** The entry's size where it is there; its bytes are not looked at. */
  sizeOf(sha256: Sha256): number | undefined;
  /** True where the entry is there and its bytes match; a corrupt one is removed. */
  verify(sha256: Sha256): Promise<boolean>;
  /** The entry's bytes; raises `cache-missing`, or `cache-corrupt` in place of the last bytes. */
  open(sha256: Sha256): AsyncIterable<Uint8Array>;
  /** Stores bytes; raises `checksum-mismatch` where `expected` is given and is not what came. */
  put(data: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, expected?: Sha256): Promise<CacheEntry>;
  /** Makes a complete file of `partialFolder`, hashed by the caller, an entry. */
  adopt(path: string, sha256: Sha256): Promise<void>;
  /** What `key` stands for, where it was derived before and is still there. */
  derived(key: string): CacheEntry | undefined;
  /** Stores bytes made of other inputs and remembers them by `key`, which names every one of these inputs. */
  putDerived(key: string, data: AsyncIterable<Uint8Array>): Promise<CacheEntry>;
  usage(): Promise<CacheUsage>;
  /** Removes entries and git mirrors not used lately and what killed runs left; resolves with the bytes freed. */
  prune(options: CachePrune): Promise<number>;
}

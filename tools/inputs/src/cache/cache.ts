import type { Sha256 } from '#core';

export interface CacheEntry {
  readonly sha256: Sha256;
  /** Bytes. */
  readonly size: number;
}

export interface CacheUsage {
  /** Absolute path. */
  readonly folder: string;
  readonly entries: number;
  /** Bytes of all entries, of unfinished downloads and of git mirrors. */
  readonly size: number;
}

/**
 * Bytes by their SHA-256, in a folder that processes and users may share. An entry is complete or not there: it is written
 * under a temporary name, synced and renamed. What is read is hashed on the way; bytes that do not match are never handed on as
 * a whole: the entry is removed and `cache-corrupt` raised. A full disk raises `cache-full`, any other fault of the disk `cache-failed`.
 */
export interface Cache {
  /** Absolute path. */
  readonly folder: string;
  /** The entry's size where it is there; its bytes are not looked at. */
  stat(sha256: Sha256): number | undefined;
  /** True where the entry is there and its bytes match; a corrupt one is removed. */
  verify(sha256: Sha256, signal?: AbortSignal): Promise<boolean>;
  /** The entry's bytes; raises `cache-missing` or, at the latest after the last byte, `cache-corrupt`. */
  open(sha256: Sha256): AsyncIterable<Uint8Array>;
  /** Stores bytes; raises `checksum-mismatch` where `expected` is given and is not what came. */
  put(data: AsyncIterable<Uint8Array>, expected?: Sha256): Promise<CacheEntry>;
  /** What `key` stands for, where it was derived before and the entry is there. The key names every input of the bytes. */
  derived(key: string): CacheEntry | undefined;
  /** Stores bytes made from other inputs and remembers them by `key`. */
  putDerived(key: string, data: AsyncIterable<Uint8Array>): Promise<CacheEntry>;
  /** Path of the unfinished download of an entry; beside it lie only files of the same name with a suffix. */
  partial(sha256: Sha256): string;
  /** Renames a finished file of the partial folder, whose hash the caller has checked, to its entry. */
  adopt(path: string, sha256: Sha256): Promise<void>;
  /** Folder of the bare git mirrors. */
  readonly gitFolder: string;
  usage(): Promise<CacheUsage>;
  /** Removes entries that are neither in `keep` nor were used within `olderThanMs`, and what killed runs left; resolves with the bytes freed. */
  prune(options: { readonly keep: ReadonlySet<Sha256>; readonly olderThanMs: number }): Promise<number>;
}

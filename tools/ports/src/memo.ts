import type { Stats } from 'node:fs';
import type { Json, Sha256 } from '#core';

/**
 * Caches results that depend only on bytes, across processes. Both calls are synchronous: `ccp
 * plan` makes thousands of them, and promises would cost more than the work.
 */
export interface Memo {
  /**
   * SHA-256 of a regular file. The file is read again only if its stat (size, times, inode)
   * differs. Pass `stat` if it was read just before, to save a call. Throws system errors, and
   * `file-changed` if the file changes meanwhile or does not match `stat`.
   */
  fileSha256(path: string, stat?: Stats): Sha256;
  /**
   * The cached value of `key`, or the result of `compute`, which is then cached. The key must
   * include every input of `compute`.
   */
  recall<T extends Json>(key: string, compute: () => T): T;
  /** Writes new values atomically. Optional: without it, the next process is slower. */
  save(): void;
}

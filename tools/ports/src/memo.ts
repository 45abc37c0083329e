import type { Stats } from 'node:fs';
import type { Json, Sha256 } from '#core';

/**
 * Remembers results that depend on nothing but bytes, between runs. Both calls are synchronous: they stand on the path of
 * `ccp plan`, where thousands of promises would cost more than the work.
 */
export interface Memo {
  /**
   * SHA-256 of a regular file; read again only where its stat (size, times, inode) differs. `stat` is what the caller has just
   * asked itself, to save a second call. Raises the system's error, and `file-changed` where the file does not hold still or is no
   * longer what `stat` says.
   */
  fileSha256(path: string, stat?: Stats): Sha256;
  /** The value kept under `key`, else that of `compute`, kept from now on. The key must name every input of `compute`. */
  recall<T extends Json>(key: string, compute: () => T): T;
  /** Writes what was learnt, atomically. Safe to leave out: the next run is only slower. */
  save(): void;
}

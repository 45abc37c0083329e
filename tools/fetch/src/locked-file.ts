import { basename } from 'node:path';
import type { Sha256 } from '#core';

/** A locked file that must be in the cache before a build: its source, hash and size in bytes. */
export type LockedFile =
  | {
      readonly kind: 'debian';
      readonly archive: 'debian' | 'debian-security';
      readonly pool: string;
      readonly sha256: Sha256;
      readonly size: number;
    }
  | {
      readonly kind: 'npm';
      readonly name: string;
      readonly version: string;
      readonly file: string;
      readonly sha256: Sha256;
      readonly size: number;
    }
  | {
      readonly kind: 'go';
      readonly module: string;
      readonly file: string;
      readonly sha256: Sha256;
      readonly size: number;
    }
  | {
      readonly kind: 'python';
      readonly project: string;
      readonly file: string;
      readonly sha256: Sha256;
      readonly size: number;
    };

/** The file's name in messages. */
export function lockedFileName(file: LockedFile): string {
  if (file.kind === 'debian') return basename(file.pool);
  return file.kind === 'go' ? `${file.module}@${file.file}` : file.file;
}

import { basename } from 'node:path';
import type { LockedFile } from './types.ts';

/** The file's name for people. */
export function lockedFileName(file: LockedFile): string {
  if (file.kind === 'debian') return basename(file.pool);
  return file.kind === 'go' ? `${file.module}@${file.file}` : file.file;
}

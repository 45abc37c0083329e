import { readFileSync } from 'node:fs';
import { fileChanged, reading, sha256, type Sha256 } from '#core';

/**
 * The bytes of a file that was hashed a moment ago, so that results can be remembered under that
 * hash. Messages call it `file`. Throws `file-changed` if its hash is different now, and the errors
 * of `reading`.
 */
export function readUnchanged(path: string, expected: Sha256, file: string = path): Buffer {
  const bytes = reading(file, () => readFileSync(path));
  if (sha256(bytes) !== expected) throw fileChanged(file);
  return bytes;
}

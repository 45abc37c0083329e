import { readFileSync } from 'node:fs';
import { fileChanged, reading, sha256, type Sha256 } from '#core';

/**
 * The bytes of a file whose hash was taken a moment ago, so that what is made of them may be remembered by it. `file` is the name
 * for messages. Raises `file-changed` where they are others by now, and what `reading` raises.
 */
export function readUnchanged(path: string, expected: Sha256, file: string = path): Buffer {
  const bytes = reading(file, () => readFileSync(path));
  if (sha256(bytes) !== expected) throw fileChanged(file);
  return bytes;
}

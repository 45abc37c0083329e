import { sha256 } from '#core';

/** Name of the file that stores the SHA-256 of a key's derived entry. */
export function derivedName(key: string): string {
  return sha256(key);
}

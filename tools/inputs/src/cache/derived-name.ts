import { sha256 } from '#core';

/** Name of the file that says what a key stands for. */
export function derivedName(key: string): string {
  return sha256(key);
}

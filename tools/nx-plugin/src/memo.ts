import { readFileSync } from 'node:fs';
import { sha256, type Json } from '#core';

/** A memo for one Nx command: reads each file once and keeps nothing. */
export function commandMemo() {
  const values = new Map<string, Json>();
  return {
    fileSha256: (path: string) => sha256(readFileSync(path)),
    recall: <T extends Json>(key: string, compute: () => T): T => {
      if (!values.has(key)) values.set(key, compute());
      return values.get(key) as T;
    },
    save: () => undefined,
  };
}

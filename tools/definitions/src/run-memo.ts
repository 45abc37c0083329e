import { readFileSync } from 'node:fs';
import { sha256, type Json } from '#core';
import type { Memo } from '#ports';

/** A memo of one run: it keeps nothing on the disk. */
export function runMemo(): Memo {
  const values = new Map<string, Json>();
  return {
    fileSha256: (path) => sha256(readFileSync(path)),
    recall: <T extends Json>(key: string, compute: () => T): T => {
      if (!values.has(key)) values.set(key, compute());
      return values.get(key) as T;
    },
    save: () => undefined,
  };
}

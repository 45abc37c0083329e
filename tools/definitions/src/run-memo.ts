import { sha256, type Json } from '#core';
import { readBounded } from '#host';
import type { Memo } from '#ports';

/** A memo for one run that stores nothing on disk. */
export function runMemo(): Memo {
  const values = new Map<string, Json>();
  return {
    fileSha256: (path) => sha256(readBounded(path)),
    recall: <T extends Json>(key: string, compute: () => T): T => {
      if (!values.has(key)) values.set(key, compute());
      return values.get(key) as T;
    },
    save: () => undefined,
  };
}

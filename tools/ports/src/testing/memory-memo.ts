import { readFileSync } from 'node:fs';
import { sha256, type Json } from '#core';
import type { Memo } from '../memo.ts';

/** A memo in memory that reads every file. */
export function memoryMemo(): Memo {
  const values = new Map<string, Json>();
  return {
    fileSha256: (path) => sha256(readFileSync(path)),
    recall: <T extends Json>(key: string, compute: () => T): T => {
      const known = values.get(key);
      if (known !== undefined) return known as T;
      const value = compute();
      values.set(key, value);
      return value;
    },
    save: () => undefined,
  };
}

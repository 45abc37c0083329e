import { closeSync, fstatSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { fileChanged, sha256, type Json, type Sha256 } from '#core';
import type { Memo } from '#ports';
import { makeFolder } from '../make-folder.ts';
import { MAX_STATE_BYTES, openRegular, readBounded, readUpTo } from '../read-bounded.ts';
import { replaceFile } from '../replace-file.ts';
import { decodeMemo, encodeMemo, storedKey, type FileEntry, type ValueEntry } from './memo-file.ts';

/**
 * Maximum age of a file, when it is hashed, whose hash is not kept: another change might not show
 * in its file status, because file systems store times in steps (2 s on FAT).
 */
const RACY_MS = 2_000;
const READ_ATTEMPTS = 3;

/**
 * Number of saves without a use after which an entry is dropped, so that runs of different series
 * keep each other's entries.
 */
const MAX_AGE = 16;

/**
 * A memo in one file, which is read immediately; a damaged file or one of another format counts as
 * empty. `save` replaces the file, and only if the memo has changed.
 */
export function openMemo(path: string): Memo {
  const { files, values } = load(path);
  let changed = false;

  return {
    fileSha256(file, stat) {
      const known = files.get(file);
      if (known !== undefined && known.signature === signatureOf(stat ?? statSync(file))) {
        known.age = 0;
        return known.sha256;
      }
      const hashed = hashStable(file);
      // The file status that the caller has belongs to other bytes.
      if (stat !== undefined && signatureOf(stat) !== signatureOf(hashed.stat))
        throw fileChanged(file);
      if (Math.max(hashed.stat.mtimeMs, hashed.stat.ctimeMs) + RACY_MS > hashed.at)
        files.delete(file);
      else {
        files.set(file, { signature: signatureOf(hashed.stat), sha256: hashed.sha256, age: 0 });
        changed = true;
      }
      return hashed.sha256;
    },

    recall<T extends Json>(key: string, compute: () => T): T {
      const stored = storedKey(key);
      const known = values.get(stored);
      if (known !== undefined) {
        known.age = 0;
        known.value ??= JSON.parse(known.json) as Json;
        return known.value as T;
      }
      const value = compute();
      values.set(stored, { json: JSON.stringify(value), value, age: 0 });
      changed = true;
      return value;
    },

    save() {
      if (!changed) return;
      const bytes = encodeMemo({ files: aged(files), values: aged(values) });
      try {
        makeFolder(dirname(path));
        replaceFile(path, bytes, { flush: false });
      } catch {
        // A full or read-only disk slows down the next run; this run can continue.
        return;
      }
      changed = false;
    },
  };
}

function load(path: string): { files: Map<string, FileEntry>; values: Map<string, ValueEntry> } {
  try {
    return decodeMemo(readBounded(path)) ?? { files: new Map(), values: new Map() };
  } catch {
    return { files: new Map(), values: new Map() };
  }
}

/** The entries to write: used entries come before entries that were only kept. */
function aged<E extends { readonly age: number }>(entries: ReadonlyMap<string, E>): Map<string, E> {
  const kept = new Map<string, E>();
  for (const [key, entry] of entries)
    if (entry.age < MAX_AGE) kept.set(key, { ...entry, age: entry.age + 1 });
  return kept;
}

/**
 * Times in steps of a quarter of a microsecond, finer than those of any file system; exact times
 * would need big integers.
 */
function signatureOf(stat: Stats): string {
  return `${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}:${stat.ino}`;
}

function hashStable(file: string): {
  readonly sha256: Sha256;
  readonly stat: Stats;
  readonly at: number;
} {
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
    const descriptor = openRegular(file);
    try {
      const at = Date.now();
      const before = fstatSync(descriptor);
      const hash = sha256(readUpTo(descriptor, MAX_STATE_BYTES, file));
      const stat = fstatSync(descriptor);
      if (signatureOf(before) === signatureOf(stat)) return { sha256: hash, stat, at };
    } finally {
      closeSync(descriptor);
    }
  }
  throw fileChanged(file, `changed ${READ_ATTEMPTS} times`);
}

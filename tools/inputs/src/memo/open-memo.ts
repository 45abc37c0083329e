import { closeSync, fstatSync, openSync, readFileSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import { fileChanged, sha256, type Json, type Sha256 } from '#core';
import { makeFolder, replaceFile } from '#host';
import type { Memo } from '#ports';
import { decodeMemo, encodeMemo, storedKey, type FileEntry, type ValueEntry } from './memo-file.ts';

/**
 * A file whose times lie this close to the moment of hashing could change again without its stat showing it (file systems
 * keep times in steps, FAT's are 2 s). Such a hash is not kept.
 */
const RACY_MS = 2_000;
const READ_ATTEMPTS = 3;

/** Saves that an entry outlives without being used, so that runs of different series do not throw out each other's. */
const MAX_AGE = 16;

/**
 * A memo kept in one file, read at once; a file that is damaged or of another format counts as empty. `save` writes only
 * where something was learnt, through a temporary file.
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
      // What the caller keeps of the stat (whether it is a file, executable) belongs to other bytes.
      if (stat !== undefined && signatureOf(stat) !== signatureOf(hashed.stat)) throw fileChanged(file);
      if (Math.max(hashed.stat.mtimeMs, hashed.stat.ctimeMs) + RACY_MS > hashed.at) files.delete(file);
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
        // A full or read-only disk makes the next run slower, and is no reason to fail this one.
        return;
      }
      changed = false;
    },
  };
}

function load(path: string): { files: Map<string, FileEntry>; values: Map<string, ValueEntry> } {
  try {
    return decodeMemo(readFileSync(path)) ?? { files: new Map(), values: new Map() };
  } catch {
    return { files: new Map(), values: new Map() };
  }
}

/** Entries as they are written: used ones are younger than any that was only carried along. */
function aged<E extends { readonly age: number }>(entries: ReadonlyMap<string, E>): Map<string, E> {
  const kept = new Map<string, E>();
  for (const [key, entry] of entries) if (entry.age < MAX_AGE) kept.set(key, { ...entry, age: entry.age + 1 });
  return kept;
}

/** Times to a quarter of a microsecond, finer than any file system's step; exact ones would need big integers. */
function signatureOf(stat: Stats): string {
  return `${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}:${stat.ino}`;
}

function hashStable(file: string): { readonly sha256: Sha256; readonly stat: Stats; readonly at: number } {
  for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
    const descriptor = openSync(file, 'r');
    try {
      const at = Date.now();
      const before = fstatSync(descriptor);
      const hash = sha256(readFileSync(descriptor));
      const stat = fstatSync(descriptor);
      if (signatureOf(before) === signatureOf(stat)) return { sha256: hash, stat, at };
    } finally {
      closeSync(descriptor);
    }
  }
  throw fileChanged(file, `changed ${READ_ATTEMPTS} times`);
}

import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  futimesSync,
  lstatSync,
  openSync,
  readSync,
  statSync,
  utimesSync,
  type Stats,
} from 'node:fs';
import { hexOf, SOURCE_DATE_EPOCH, type Digest } from '#core';

/** Bytes per read. */
const CHUNK = 1 << 20;

/** Marks a file whose content was checked: its modification time becomes SOURCE_DATE_EPOCH. */
export function markChecked(path: string): void {
  utimesSync(path, SOURCE_DATE_EPOCH, SOURCE_DATE_EPOCH);
}

/** Removes the mark from a damaged file. A symbolic link's target belongs to another store. */
export function unmarkChecked(path: string): void {
  const now = new Date();
  unlessRefused(() => {
    if (lstatSync(path).isFile()) utimesSync(path, now, now);
  });
}

/**
 * Returns a function for the sizes of blob files: undefined if the file is missing or does not
 * match its digest. A file with the mark of `markChecked` is trusted. Any other file is hashed, and
 * then marked if this user can change it.
 */
export function checkedSizes(): (path: string, digest: Digest) => number | undefined {
  const judged = new Map<string, { readonly signature: string; readonly isWhole: boolean }>();
  return (path, digest) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile() !== true) return undefined;
    if (isMarked(stat)) return stat.size;
    const signature = signatureOf(stat);
    const known = judged.get(path);
    const isWhole = known?.signature === signature ? known.isWhole : hashesTo(path, digest);
    judged.set(path, { signature, isWhole });
    return isWhole ? stat.size : undefined;
  };
}

function isMarked({ mtimeMs }: Stats): boolean {
  return mtimeMs === SOURCE_DATE_EPOCH * 1000;
}

function signatureOf({ size, mtimeMs, ctimeMs, ino }: Stats): string {
  return `${size}:${mtimeMs}:${ctimeMs}:${ino}`;
}

function hashesTo(path: string, digest: Digest): boolean {
  const file = openSync(path, 'r');
  try {
    const before = signatureOf(fstatSync(file));
    const hash = createHash('sha256');
    const chunk = Buffer.allocUnsafe(CHUNK);
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk))
      hash.update(chunk.subarray(0, read));
    if (hash.digest('hex') !== hexOf(digest) || signatureOf(fstatSync(file)) !== before)
      return false;
    unlessRefused(() => {
      if (lstatSync(path).isFile()) futimesSync(file, SOURCE_DATE_EPOCH, SOURCE_DATE_EPOCH);
    });
    return true;
  } finally {
    closeSync(file);
  }
}

/**
 * Ignores failures (another user's file, a read-only disk); the next run hashes such a file again.
 */
function unlessRefused(change: () => void): void {
  try {
    change();
  } catch {
    return;
  }
}

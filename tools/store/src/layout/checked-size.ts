import { createHash } from 'node:crypto';
import { closeSync, fstatSync, futimesSync, lstatSync, openSync, readSync, statSync, utimesSync, type Stats } from 'node:fs';
import { hexOf, SOURCE_DATE_EPOCH, type Digest } from '#core';

/** Bytes read at once. */
const CHUNK = 1 << 20;

/** Gives a file whose bytes are known to be its blob's the time that says so until somebody writes to it. */
export function markChecked(path: string): void {
  utimesSync(path, SOURCE_DATE_EPOCH, SOURCE_DATE_EPOCH);
}

/** Takes that time from a file whose bytes are not what they were, so that nobody relies on it. A file behind a link is another store's. */
export function unmarkChecked(path: string): void {
  const now = new Date();
  unlessRefused(() => {
    if (lstatSync(path).isFile()) utimesSync(path, now, now);
  });
}

/**
 * Tells the bytes of blobs' files; undefined for one that is not there or does not hash to its name. A file that bears the time of
 * `markChecked` is believed; another is read, and bears it from then on where it may be changed.
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
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) hash.update(chunk.subarray(0, read));
    if (hash.digest('hex') !== hexOf(digest) || signatureOf(fstatSync(file)) !== before) return false;
    unlessRefused(() => {
      if (lstatSync(path).isFile()) futimesSync(file, SOURCE_DATE_EPOCH, SOURCE_DATE_EPOCH);
    });
    return true;
  } finally {
    closeSync(file);
  }
}

/** Does what a file of another user or a read-only disk may refuse; such a file is read again by the next run. */
function unlessRefused(change: () => void): void {
  try {
    change();
  } catch {
    return;
  }
}

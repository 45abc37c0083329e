import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Digest, Fingerprint, ImageName } from '#core';
import { readStoreIndex } from '#store';
import { RESULTS } from './measure.ts';

/** An image with its fingerprint. */
export interface Wanted {
  readonly image: ImageName;
  readonly fingerprint: Fingerprint;
}

/** The digests of an image from two engines; `undefined` if that engine has not built it. */
export interface DigestRow extends Wanted {
  readonly first: Digest | undefined;
  readonly second: Digest | undefined;
}

/** The rows of these images from the stores of two workspaces. */
export function digestRows(
  wanted: readonly Wanted[],
  first: string,
  second: string,
): readonly DigestRow[] {
  const [a, b] = [first, second].map((tree) => readStoreIndex(join(tree, '.ccp/store')));
  return wanted.map(({ image, fingerprint }) => ({
    image,
    fingerprint,
    first: a!.byFingerprint.get(fingerprint)?.digest,
    second: b!.byFingerprint.get(fingerprint)?.digest,
  }));
}

/**
 * One row for each image of `all` that has one in `rows` or in `earlier`, sorted by name. An
 * earlier row counts if its fingerprint is the current one; it gives the digests that `rows` lacks.
 */
export function mergeRows(
  all: readonly Wanted[],
  earlier: readonly DigestRow[],
  rows: readonly DigestRow[],
): readonly DigestRow[] {
  return all
    .flatMap(({ image, fingerprint }) => {
      const before = earlier.find((row) => row.image === image && row.fingerprint === fingerprint);
      const row = rows.find((each) => each.image === image) ?? before;
      if (row === undefined) return [];
      const [first, second] = [row.first ?? before?.first, row.second ?? before?.second];
      return [{ image, fingerprint, first, second }];
    })
    .sort((a, b) => (a.image < b.image ? -1 : 1));
}

/** True if both engines built the image with the same digest. */
export function isEqual({ first, second }: DigestRow): boolean {
  return first !== undefined && first === second;
}

/** The rows of the record `name` in tests/bench/results; empty without a record. */
export function recordedRows(name: string): readonly DigestRow[] {
  const file = join(RESULTS, `${name}.json`);
  if (!existsSync(file)) return [];
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly rows: readonly DigestRow[] }).rows;
}

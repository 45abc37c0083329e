import { canonicalJson, sha256, tagPart, type Digest, type Fingerprint, type Json, type Series } from '#core';
import type { ImageInputs } from '#inputs';
import type { ImageRecord } from './types.ts';

/**
 * Number of the build semantics. Raise it with any change by which the same inputs would give other bytes, so that every
 * fingerprint changes. To it belong: the canonical form of layers (NORMALISER_VERSION in store) and their compression (level
 * and zlib in store's write-gzip.ts), the seed of a bootstrap, the tar of a commit and of the context (inputs), what templates
 * render to (RENDERER in inputs), SOURCE_DATE_EPOCH, and the build arguments that every build gets. Golden digests in
 * tests/repository/build-semantics.test.ts hold most of them.
 */
export const BUILD_SEMANTICS = 2;

/** The whole record of an image: its inputs and its parents' fingerprints by role. */
export function imageRecord(inputs: ImageInputs, parents: Readonly<Record<string, Fingerprint>>, semantics = BUILD_SEMANTICS): ImageRecord {
  return { schema: 1, semantics, ...inputs, parents };
}

/** SHA-256 of the record's canonical JSON. */
export function fingerprintOf(record: ImageRecord): Fingerprint {
  return sha256(canonicalJson(record as unknown as Json)) as string as Fingerprint;
}

/**
 * The fingerprint of an image whose parents are named by what they are (manifest digests by role) instead of by what they were
 * made from: equal keys mean equal builds, also where a parent was rebuilt to the same bytes.
 */
export function contentKey(record: ImageRecord, parents: Readonly<Record<string, Digest>>): string {
  return sha256(canonicalJson({ ...record, parents } as unknown as Json));
}

/** `<series>-<32 hex digits>`: the fingerprint as a tag, 128 bits of it. */
export function versionOf(series: Series, fingerprint: Fingerprint): string {
  return `${series}-${tagPart(fingerprint)}`;
}

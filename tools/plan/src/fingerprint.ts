import type { ImageInputs } from '#context';
import {
  canonicalJson,
  sha256,
  tagPart,
  type Digest,
  type Fingerprint,
  type Json,
  type Series,
} from '#core';
import type { ImageRecord } from './types.ts';

/**
 * Version of the build semantics. Raise it with any change after which the same inputs produce
 * different bytes, so that all fingerprints change:
 *
 * - the canonical form of layers (NORMALISER_VERSION in store) and their compression (level and
 *   zlib in store's write-gzip.ts)
 * - the Debian seed and the tar of a commit (fetch), the tar of the context (context)
 * - the output of templates (RENDERER in context)
 * - SOURCE_DATE_EPOCH and the build arguments of all builds
 *
 * Golden digests in tests/repository/build-semantics.test.ts check most of them.
 */
export const BUILD_SEMANTICS = 3;

/** An image's record: its inputs and its parents' fingerprints by role. */
export function inputRecord(
  inputs: ImageInputs,
  parents: Readonly<Record<string, Fingerprint>>,
  semantics = BUILD_SEMANTICS,
): ImageRecord {
  return { schema: 1, semantics, ...inputs, parents };
}

/** SHA-256 of the record's canonical JSON. */
export function fingerprintOf(record: ImageRecord): Fingerprint {
  return sha256(canonicalJson(record as unknown as Json)) as string as Fingerprint;
}

/**
 * The hash of an image's record with its parents' manifest digests in place of their fingerprints.
 * Equal keys mean equal builds, even if a parent was rebuilt with the same digest.
 */
export function contentKey(record: ImageRecord, parents: Readonly<Record<string, Digest>>): string {
  return sha256(canonicalJson({ ...record, parents } as unknown as Json));
}

/** `<series>-<32 hex digits>`: a tag with 128 bits of the fingerprint. */
export function versionOf(series: Series, fingerprint: Fingerprint): string {
  return `${series}-${tagPart(fingerprint)}`;
}

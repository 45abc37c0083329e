import { isRecord, type Digest, type Json } from '#core';
import type { StoredImage } from '#ports';
import { parseSetStatements } from '../statements/set-statements.ts';
import type { ImageSet, ImageSetEntry, SetStatements } from '../types.ts';

/** Predicate type of the record that ties an image's digest to its fingerprint. */
export const IMAGE_RECORD = 'urn:ccp:image-record:v1';

/**
 * Statement of a builder about an image; with a signature, others can use the image without a
 * build.
 */
export function imageRecord({ series, platform }: ImageSet, entry: ImageSetEntry): Json {
  const { name, fingerprint, contentKey = '', size, compressedSize, tests, statements } = entry;
  return {
    image: name,
    series,
    platform,
    fingerprint,
    contentKey,
    size,
    compressedSize,
    ...(tests === undefined ? {} : { tests }),
    ...(statements === undefined ? {} : { statements: { ...statements } }),
  };
}

/** An image that a trusted builder published. */
export interface PublishedImage extends StoredImage {
  /** Key of the tests that the image has passed. */
  readonly tests?: string;
  /** The builder's statements about the image. */
  readonly statements?: SetStatements;
}

/**
 * The image of a checked record, if the record is about the wanted image; otherwise the reason why
 * it is not.
 */
export function recordedImage(
  predicate: Json,
  digest: Digest,
  wanted: Pick<StoredImage, 'image' | 'series' | 'platform' | 'fingerprint'>,
): PublishedImage | string {
  if (!isRecord(predicate)) return 'its record is not an object';
  for (const key of ['image', 'series', 'platform', 'fingerprint'] as const)
    if (predicate[key] !== wanted[key]) return `its record has another ${key}`;
  const { contentKey, size, compressedSize, tests, statements } = predicate;
  const { image, series, platform, fingerprint } = wanted;
  if (typeof contentKey !== 'string' || !isSize(size) || !isSize(compressedSize))
    return 'its record is not complete';
  return {
    image,
    series,
    platform,
    fingerprint,
    digest,
    contentKey,
    size,
    compressedSize,
    ...(typeof tests === 'string' ? { tests } : {}),
    ...(statements === undefined
      ? {}
      : { statements: parseSetStatements(statements, 'statements') }),
  };
}

function isSize(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

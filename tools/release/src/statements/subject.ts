import { hexOf, type Digest, type Fingerprint, type Platform, type Series } from '#core';
import type { ImageSet, ImageSetEntry } from '../types.ts';
import { purlOf } from './purl.ts';

/** The image that statements are about. */
export interface StatementSubject {
  readonly name: string;
  /** `<series>-<32 hex digits>`. */
  readonly version: string;
  readonly digest: Digest;
  readonly fingerprint: Fingerprint;
  readonly series: Series;
  readonly platform: Platform;
}

/** The subject of the statements about an image of a set. */
export function subjectOf(
  { series, platform }: Pick<ImageSet, 'series' | 'platform'>,
  { name, version, digest, fingerprint }: ImageSetEntry,
): StatementSubject {
  return { name, version, digest, fingerprint, series, platform };
}

/** The package URL of an image; it names no registry, so copies have the same documents. */
export function imagePurl({
  name,
  version,
  digest,
}: Pick<StatementSubject, 'name' | 'version' | 'digest'>): string {
  return purlOf('oci', name, `sha256:${hexOf(digest)}`, { tag: version });
}

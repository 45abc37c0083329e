import type { Digest, Fingerprint, ImageName, Platform, Series } from '#core';
import type { ImageInputs, Origin } from '#inputs';

/** Every input of an image; its canonical JSON is what the fingerprint hashes. */
export interface ImageRecord extends ImageInputs {
  readonly schema: 1;
  /** Number of the build semantics: normaliser, compression, context layout. */
  readonly semantics: number;
  /** Role -> fingerprint. */
  readonly parents: Readonly<Record<string, Fingerprint>>;
}

export interface PlannedImage {
  readonly image: ImageName;
  readonly fingerprint: Fingerprint;
  /** `<series>-<first 32 hex digits of the fingerprint>`. */
  readonly version: string;
  readonly record: ImageRecord;
  /** Role -> image. */
  readonly parents: Readonly<Record<string, ImageName>>;
  /** `reuse` where the store has the fingerprint already. */
  readonly action: 'build' | 'reuse';
  /** Digest of what is reused. */
  readonly digest?: Digest;
  /** Why it must be built, a clause each; empty where reused. */
  readonly reasons: readonly string[];
}

/** What a run will do, parents before children. Pure: same repository, settings and store, same plan. */
export interface BuildPlan {
  readonly format: 1;
  readonly series: Series;
  readonly platform: Platform;
  readonly origin: Origin;
  readonly images: readonly PlannedImage[];
}

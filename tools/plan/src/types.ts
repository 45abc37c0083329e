import type { ImageInputs, SourceOrigin } from '#context';
import type { Digest, Fingerprint, ImageName, Platform, Series } from '#core';
import type { ChangedLines } from '#formats';

/** All inputs of an image; the fingerprint is the hash of its canonical JSON. */
export interface ImageRecord extends ImageInputs {
  readonly schema: 1;
  /** Version of the build semantics (`BUILD_SEMANTICS`). */
  readonly semantics: number;
  /** Role -> fingerprint. */
  readonly parents: Readonly<Record<string, Fingerprint>>;
}

/** The inputs behind a record's hashes, so that differences can list packages and commits. */
export interface ImageDetails {
  /** Stage -> package -> version. */
  readonly debian: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Use (`runtime`, `build`) -> project -> version. */
  readonly python: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** `files` -> Go module -> version; absent without any. */
  readonly go?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** `packages` -> npm package -> version; absent without any. */
  readonly npm?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Source -> commit and version. */
  readonly sources: Readonly<Record<string, { readonly commit: string; readonly version: string }>>;
  /** The rendered Dockerfile; absent in records of older tools. */
  readonly dockerfile?: string;
}

/** An image's inputs when it was planned or built. */
export interface RecordedImage {
  readonly record: ImageRecord;
  readonly details?: ImageDetails;
}

/** An image of a plan: its fingerprint and inputs, and the action for it. */
export interface PlannedImage {
  readonly image: ImageName;
  readonly fingerprint: Fingerprint;
  /** `<series>-<first 32 hex digits of the fingerprint>`. */
  readonly version: string;
  readonly record: ImageRecord;
  /** Role -> image. */
  readonly parents: Readonly<Record<string, ImageName>>;
  /** `reuse` if the store has the fingerprint. */
  readonly action: 'build' | 'reuse';
  /** Digest of the reused image. */
  readonly digest?: Digest;
  /** Why it must be built or, with `reuse`, tested again; empty if nothing must be done. */
  readonly reasons: readonly Reason[];
}

/** Why an image must be built or tested again; `reasonText` makes the text. */
export type Reason =
  /**
   * `not-built`: no build is recorded. `lost`: inputs are unchanged, but the store has no image.
   */
  | { readonly kind: 'not-built' | 'lost' }
  /** The stored image's blobs are damaged or missing. */
  | { readonly kind: 'damaged' }
  /** `retested`: its tests changed after they passed. `untested`: no passed run is recorded. */
  | { readonly kind: 'retested' | 'untested' }
  /** `ccp build --rebuild`. */
  | { readonly kind: 'requested' }
  | { readonly kind: 'changed'; readonly difference: Difference }
  /** A reason in a plan file of an older version, which has texts only. */
  | { readonly kind: 'recorded'; readonly text: string };

/** A plan as JSON: reasons are texts, and `causes` has the same reasons as data. */
export interface PlanDocument extends Omit<BuildPlan, 'images'> {
  readonly images: readonly PlannedImageDocument[];
}

export interface PlannedImageDocument extends Omit<PlannedImage, 'reasons'> {
  readonly reasons: readonly string[];
  /** Absent in plan files of older versions. */
  readonly causes?: readonly Reason[];
}

/**
 * The actions of a run, parents first; depends only on the repository, the settings and the store.
 */
export interface BuildPlan {
  readonly format: 1;
  readonly series: Series;
  readonly platform: Platform;
  readonly origin: SourceOrigin;
  readonly images: readonly PlannedImage[];
  /** Image -> its details; only in plan files. */
  readonly details?: Readonly<Record<string, ImageDetails>>;
}

/**
 * An input that differs between two records of an image; `from` or `to` is absent if it had none.
 */
export type Difference =
  | {
      readonly input: 'file' | 'patch' | 'package' | 'source' | 'argument' | 'label';
      readonly name: string;
      readonly from?: string;
      readonly to?: string;
    }
  | {
      readonly input: 'parent';
      readonly name: string;
      readonly image?: string;
      readonly from?: string;
      readonly to?: string;
    }
  | {
      readonly input: 'dockerfile';
      readonly from?: string;
      readonly to?: string;
      readonly lines?: readonly ChangedLines[];
    }
  | {
      readonly input: 'platform' | 'semantics' | 'unlocked' | 'network' | 'schema' | 'series';
      readonly from?: string;
      readonly to?: string;
    };

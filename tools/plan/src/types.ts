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

/** What the hashes of a record stand for, kept so that a later difference can name packages and commits. */
export interface ImageDetails {
  /** Stage -> package -> version. */
  readonly debian: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Use (`runtime`, `build`) -> project -> version. */
  readonly python: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** `files` -> Go module -> version; absent where there are none. */
  readonly go?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** `packages` -> package of npm -> version; absent where there are none. */
  readonly npm?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Source -> commit and version. */
  readonly sources: Readonly<Record<string, { readonly commit: string; readonly version: string }>>;
  /** The rendered Dockerfile; absent in records of older tools. */
  readonly dockerfile?: string;
}

/** Lines in a row that one text has in place of those of another; `from` or `to` is empty where lines only came or went. */
export interface ChangedLines {
  /** Number, from 1, in the newer text: of the first of its lines or, where it has none, of the line that follows. */
  readonly line: number;
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** An image's inputs as they were when it was planned or built. */
export interface RecordedImage {
  readonly record: ImageRecord;
  readonly details?: ImageDetails;
}

/** One image of a plan: what it would be, and what is to be done for it. */
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
  /** Why it must be built or, where it is reused, tested again, a clause each; empty where nothing is to be done. */
  readonly reasons: readonly string[];
}

/** What a run will do, parents before children. Pure: same repository, settings and store, same plan. */
export interface BuildPlan {
  readonly format: 1;
  readonly series: Series;
  readonly platform: Platform;
  readonly origin: Origin;
  readonly images: readonly PlannedImage[];
  /** Image -> what its hashes stand for; only in plan files. */
  readonly details?: Readonly<Record<string, ImageDetails>>;
}

/** One input in which two records of an image differ; `from` or `to` is absent where there was none. */
export type Difference =
  | { readonly input: 'file' | 'patch' | 'package' | 'source' | 'argument' | 'label'; readonly name: string; readonly from?: string; readonly to?: string }
  | { readonly input: 'parent'; readonly name: string; readonly image?: string; readonly from?: string; readonly to?: string }
  | { readonly input: 'dockerfile'; readonly from?: string; readonly to?: string; readonly lines?: readonly ChangedLines[] }
  | { readonly input: 'platform' | 'semantics' | 'unlocked' | 'schema' | 'series'; readonly from?: string; readonly to?: string };

import type { Digest, Fingerprint, ImageName, Platform, Series, Sha256 } from '#core';

/** How sources are taken: the commit from git, or the archive published from it. */
export type Origin = 'git' | 'archive';

/** A context file as the fingerprint sees it. */
export type FileRecord =
  | { readonly path: string; readonly type: 'directory' }
  | { readonly path: string; readonly type: 'file'; readonly executable: boolean; readonly sha256: Sha256 }
  | { readonly path: string; readonly type: 'symlink'; readonly target: string };

/** Every input of an image; its canonical JSON is what the fingerprint hashes. Lists of packages stand as their hashes. */
export interface ImageRecord {
  readonly schema: 1;
  /** Number of the build semantics: normaliser, compression, context layout. */
  readonly semantics: number;
  readonly image: ImageName;
  readonly series: Series;
  readonly platform: Platform;
  /** The rendered Dockerfile. */
  readonly dockerfile: Sha256;
  readonly files: readonly FileRecord[];
  /** Stage -> hash of its locked list. */
  readonly debian: Readonly<Record<string, Sha256>>;
  readonly python: Readonly<Record<string, Sha256>>;
  /** Source -> `git:COMMIT` or `archive:SHA256`. */
  readonly sources: Readonly<Record<string, string>>;
  /** Role -> fingerprint. */
  readonly parents: Readonly<Record<string, Fingerprint>>;
  readonly args: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly unlocked: boolean;
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

import type { ImageName, Platform, Series, Sha256 } from '#core';
import type { GitSource } from '#ports';

/** Where the bytes of a context file come from. */
export type ContentOrigin =
  /** `path` is absolute, `file` is the name for messages. */
  | { readonly from: 'disk'; readonly path: string; readonly file: string }
  | { readonly from: 'cache'; readonly sha256: Sha256 }
  | { readonly from: 'bytes'; readonly bytes: Uint8Array }
  /** The tree of a commit, as the tar that `git archive` writes; kept in the cache by commit. */
  | { readonly from: 'git'; readonly source: GitSource }
  /**
   * One tar merged from the data archives of these locked .debs, in this order: the seed of a
   * bootstrap.
   */
  | { readonly from: 'debs'; readonly debs: readonly Sha256[] };

/** One entry of a build context. Paths are relative, `/`-separated and in code-unit order. */
export type ContextEntry =
  | { readonly type: 'directory'; readonly path: string }
  | { readonly type: 'symlink'; readonly path: string; readonly target: string }
  | {
      readonly type: 'file';
      readonly path: string;
      readonly executable: boolean;
      /** Absent for `git` and `debs`, which are identified by their origin. */
      readonly sha256?: Sha256;
      readonly origin: ContentOrigin;
    };

/** Where sources come from: the commit in git, or the archive published from it. */
export type SourceOrigin = 'git' | 'archive';

/** A context file in the fingerprint. */
export type FileRecord =
  | { readonly path: string; readonly type: 'directory' }
  | {
      readonly path: string;
      readonly type: 'file';
      readonly executable: boolean;
      readonly sha256: Sha256;
    }
  | { readonly path: string; readonly type: 'symlink'; readonly target: string };

/** Every input of an image except its parents. Package lists are represented by their hashes. */
export interface ImageInputs {
  readonly image: ImageName;
  readonly series: Series;
  readonly platform: Platform;
  /** The rendered Dockerfile. */
  readonly dockerfile: Sha256;
  /** Content of the image's `files` folder. */
  readonly files: readonly FileRecord[];
  /** Repository files that the image contains, if any. */
  readonly tree?: readonly FileRecord[];
  /** Stage -> hash of its locked list. */
  readonly debian: Readonly<Record<string, Sha256>>;
  readonly python: { readonly runtime: Sha256; readonly build: Sha256 };
  /** Hash of the Go module files, if any. */
  readonly go?: { readonly files: Sha256 };
  /** Hash of the npm packages, if any. */
  readonly npm?: { readonly packages: Sha256 };
  /** Source -> `git:COMMIT` or `archive:SHA256`. */
  readonly sources: Readonly<Record<string, string>>;
  /** Path of a patch below `.inputs/sources` -> hash of its bytes. */
  readonly patches?: Readonly<Record<string, Sha256>>;
  readonly args: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly unlocked: boolean;
  /** Set if an unlocked image's RUN steps use the host's network instead of the engine's. */
  readonly network?: 'host';
}

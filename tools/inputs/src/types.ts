import type { ImageName, Platform, Series, Sha256 } from '#core';
import type { GitSource } from '#ports';

/** Where the bytes of a context file come from. */
export type ContentOrigin =
  /** `path` is absolute, `file` how messages name it. */
  | { readonly from: 'disk'; readonly path: string; readonly file: string }
  | { readonly from: 'cache'; readonly sha256: Sha256 }
  | { readonly from: 'bytes'; readonly bytes: Uint8Array }
  /** The tree of a commit, as the tar that `git archive` writes; kept in the cache by commit. */
  | { readonly from: 'git'; readonly source: GitSource }
  /** One tar merged from the data archives of these locked .debs, in this order: what a bootstrap unpacks first. */
  | { readonly from: 'debs'; readonly debs: readonly Sha256[] };

/** One entry of a build context. Paths are relative, `/`-separated, in code-unit order; nothing else of the disk is kept. */
export type ContextEntry =
  | { readonly type: 'directory'; readonly path: string }
  | { readonly type: 'symlink'; readonly path: string; readonly target: string }
  | {
      readonly type: 'file';
      readonly path: string;
      readonly executable: boolean;
      /** Known where the bytes are named by hash; absent for `git` and `debs`, whose identity is their origin. */
      readonly sha256?: Sha256;
      readonly origin: ContentOrigin;
    };

/** Something locked that the cache must hold before a build: how to ask for it, and how to know it. */
export type LockedFile =
  | { readonly kind: 'debian'; readonly archive: 'debian' | 'debian-security'; readonly pool: string; readonly sha256: Sha256; readonly size: number }
  | { readonly kind: 'npm'; readonly name: string; readonly version: string; readonly file: string; readonly sha256: Sha256; readonly size: number }
  | { readonly kind: 'go'; readonly module: string; readonly file: string; readonly sha256: Sha256; readonly size: number }
  | { readonly kind: 'python'; readonly project: string; readonly file: string; readonly sha256: Sha256; readonly size: number };

/** How sources are taken: the commit from git, or the archive published from it. */
export type Origin = 'git' | 'archive';

/** A context file as the fingerprint sees it. */
export type FileRecord =
  | { readonly path: string; readonly type: 'directory' }
  | { readonly path: string; readonly type: 'file'; readonly executable: boolean; readonly sha256: Sha256 }
  | { readonly path: string; readonly type: 'symlink'; readonly target: string };

/** Every input of an image but its parents. Lists of packages stand as their hashes. */
export interface ImageInputs {
  readonly image: ImageName;
  readonly series: Series;
  readonly platform: Platform;
  /** The rendered Dockerfile. */
  readonly dockerfile: Sha256;
  /** What lies in the image's `files` folder. */
  readonly files: readonly FileRecord[];
  /** What the image carries of the repository; absent where it carries nothing. */
  readonly tree?: readonly FileRecord[];
  /** Stage -> hash of its locked list. */
  readonly debian: Readonly<Record<string, Sha256>>;
  readonly python: { readonly runtime: Sha256; readonly build: Sha256 };
  /** Hash of the files of Go modules; absent where there are none. */
  readonly go?: { readonly files: Sha256 };
  /** Hash of the packages of npm; absent where there are none. */
  readonly npm?: { readonly packages: Sha256 };
  /** Source -> `git:COMMIT` or `archive:SHA256`. */
  readonly sources: Readonly<Record<string, string>>;
  /** Patch, by its place below `.inputs/sources` -> hash of its bytes; absent where there are none. */
  readonly patches?: Readonly<Record<string, Sha256>>;
  readonly args: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly unlocked: boolean;
}

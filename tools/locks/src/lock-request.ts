import type { ImageName } from '#core';
import type { SeriesDefinition } from '#definitions';
import type { ImageGraph } from '#graph';
import type { SourceFetcher } from '#ports';
import type { ReadControls } from './debian/control-entry.ts';
import type { LockEvents } from './events.ts';
import type { Fetch } from './python/index-http.ts';
import type { Lock } from './types.ts';

/** Servers used by a resolution, each list tried in order; locks do not contain their URLs. */
export interface LockOrigins {
  /** Roots of Debian's archive and of its security archive, without a trailing slash. */
  readonly debian: readonly string[];
  readonly debianSecurity: readonly string[];
  /** Absolute path of the keyring that signs the lists of both; default: Debian's. */
  readonly debianKeyring?: string | undefined;
  /** URLs of simple Python indexes; called only when needed, since running pip is slow. */
  readonly pythonIndexes: () => readonly string[];
  /** Roots of Go module proxies; looked up when the first Go program is locked. */
  readonly goProxies: () => readonly string[];
  /** URLs of npm registries; called when the first npm package is locked. */
  readonly npmRegistries: () => readonly string[];
}

/** The locks to resolve and the servers to use. */
export interface LockRequest {
  /** Absolute paths of the workspace and the workspaces that it overlays, the topmost first. */
  readonly workspaces: readonly string[];
  readonly graph: ImageGraph;
  readonly series: SeriesDefinition;
  /**
   * Images to lock; empty for all images. Ancestors whose locks are not up to date are locked too.
   */
  readonly images: readonly ImageName[];
  /**
   * Update the selected images to the newest versions; otherwise locked versions that still satisfy
   * are kept.
   */
  readonly update: boolean;
  readonly origins: LockOrigins;
  readonly sources: SourceFetcher;
  /** Reads the control files of packages that the mirrors' lists dropped. */
  readonly debianControls: ReadControls;
  /** `fetch` for Python indexes and npm registries. */
  readonly fetch?: Fetch;
  /** The cache folder; package lists, metadata and uv are kept below its `locks`. */
  readonly cache: string;
  readonly emit: LockEvents;
  readonly signal?: AbortSignal;
}

/** The result for one image; `before` is absent if it had no readable lock. */
export interface LockedImage {
  readonly image: ImageName;
  /** Path relative to the repository. */
  readonly file: string;
  readonly before?: Lock;
  readonly after: Lock;
  readonly outcome: 'written' | 'unchanged';
  /** `true` if an existing lock could not be read. */
  readonly unreadable?: boolean;
}

/** The locked images, and the images that must be locked next. */
export interface LockResult {
  /** Parents before children. */
  readonly images: readonly LockedImage[];
  /** Descendants outside the selection whose locks became out of date. */
  readonly stale: readonly ImageName[];
}

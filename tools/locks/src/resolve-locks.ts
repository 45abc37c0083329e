import type { ImageName } from '#core';
import type { SeriesDefinition } from '#definitions';
import type { ImageGraph } from '#graph';
import type { SourceFetcher } from '#ports';
import type { LockEvents } from './events.ts';
import type { Fetch } from './python/index-http.ts';
import type { Lock } from './types.ts';

/** Where a resolution looks, each list in order until one answers; URLs end up in no lock. */
export interface LockOrigins {
  /** Roots of Debian's archive and of its security archive, without a trailing slash. */
  readonly debian: readonly string[];
  readonly debianSecurity: readonly string[];
  /** URLs of simple indexes of Python packages; asked for where one is needed, since asking pip takes time. */
  readonly pythonIndexes: () => readonly string[];
  /** Roots of Go module proxies; looked up when the first Go program is locked. */
  readonly goProxies: () => readonly string[];
  /** URLs of registries of npm; asked for where one is needed. */
  readonly npmRegistries: () => readonly string[];
}

/** Which locks to resolve, and where what they lock is found. */
export interface LockRequest {
  /** Absolute paths of the workspace and of those it overlays, the nearest first. */
  readonly workspaces: readonly string[];
  readonly graph: ImageGraph;
  readonly series: SeriesDefinition;
  /** What to lock; ancestors whose locks are not current are locked too. All images where empty. */
  readonly images: readonly ImageName[];
  /** Move the named images to the newest versions; else what is locked stays where it still satisfies. */
  readonly update: boolean;
  readonly origins: LockOrigins;
  readonly sources: SourceFetcher;
  /** Reaches the Python index; the platform's where absent. */
  readonly fetch?: Fetch;
  /** The cache folder; package lists, metadata and uv are kept below its `locks`. */
  readonly cache: string;
  readonly emit: LockEvents;
  readonly signal?: AbortSignal;
}

/** One image that was looked at; `before` is absent where it had no readable lock. */
export interface LockedImage {
  readonly image: ImageName;
  /** Path relative to the repository. */
  readonly file: string;
  readonly before?: Lock;
  readonly after: Lock;
  readonly outcome: 'written' | 'unchanged';
  /** True where a lock was there that could not be read. */
  readonly unreadable?: boolean;
}

/** What was locked, and what has to be locked next. */
export interface LockResult {
  /** Parents before children. */
  readonly images: readonly LockedImage[];
  /** Descendants outside the selection whose locks are not current any more. */
  readonly stale: readonly ImageName[];
}

/**
 * Resolves locks and writes them, parents before children; each image's lock is written whole once all of it is resolved, so an
 * error leaves earlier images locked and the others as they were. Sources are asked for before anything is written. Images whose
 * lock is current are left alone unless `update` names them. Raises what the resolvers raise: codes `debian-*`, `python-*`,
 * `go-*`, `source-*`, `tool-missing`, `cancelled`.
 */
export async function resolveLocks(request: LockRequest): Promise<LockResult> {
  // The resolvers are loaded here, since plan and build import this package for its checks alone.
  const { runResolution } = await import('./run-resolution.ts');
  return runResolution(request);
}

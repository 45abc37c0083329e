import { readFileSync, rmSync } from 'node:fs';
import { CcpError, sha256, type ImageName } from '#core';
import type { ImageDefinition, SeriesDefinition } from '#definitions';
import type { ImageGraph } from '#graph';
import type { Memo, SourceFetcher } from '#ports';
import { checkLocks, requestOf } from './check-locks.ts';
import { openDebianResolver } from './debian/debian-resolver.ts';
import type { LockEvents } from './events.ts';
import { lockFileName, readLock, writeLock } from './lock-store.ts';
import { openPythonIndex, type Fetch } from './python/index-client.ts';
import { openPythonResolver } from './python/python-resolver.ts';
import { resolveImage, type Resolvers } from './resolve-image.ts';
import { openScratch } from './scratch.ts';
import { openSourceResolver } from './source/source-resolver.ts';
import { lockParents } from './stack.ts';
import type { Lock, LockStatus } from './types.ts';

/** Where a resolution looks; URLs end up in no lock. */
export interface LockOrigins {
  /** Root of Debian's archive and of its security archive, without a trailing slash. */
  readonly debian: string;
  readonly debianSecurity: string;
  /** URL of a simple index of Python packages. */
  readonly pythonIndex: string;
}

export interface LockRequest {
  /** Absolute path of the repository. */
  readonly root: string;
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
  /** Folder that keeps package lists and metadata between runs. */
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
}

export interface LockResult {
  /** Parents before children. */
  readonly images: readonly LockedImage[];
  /** Descendants outside the selection whose locks are not current any more. */
  readonly stale: readonly ImageName[];
}

/** A memo of one run. */
function runMemo(): Memo {
  const values = new Map<string, unknown>();
  return {
    fileSha256: (path) => sha256(readFileSync(path)),
    recall: (key, compute) => {
      if (!values.has(key)) values.set(key, compute());
      return values.get(key) as ReturnType<typeof compute>;
    },
    save: () => undefined,
  };
}

/** The image's lock and those of the images its layers stand on. */
function layersOf(graph: ImageGraph, image: ImageName, series: SeriesDefinition): readonly Lock[] {
  const definition = graph.images.get(image)!;
  const base = definition.parents['base'];
  return [readLock(definition, series.name), ...(base === undefined ? [] : layersOf(graph, base, series))];
}

function readable(definition: ImageDefinition, series: SeriesDefinition, status: LockStatus): Lock | undefined {
  return status.summary === undefined ? undefined : readLock(definition, series.name);
}

/**
 * Resolves locks and writes them, parents before children; each image's lock is written whole once all of it is resolved, so an
 * error leaves earlier images locked and the others as they were. Images whose lock is current are left alone unless `update`
 * names them. Raises what the resolvers raise: codes `debian-*`, `python-*`, `source-*`, `tool-missing`, `cancelled`.
 */
export async function resolveLocks(request: LockRequest): Promise<LockResult> {
  const { graph, series, update, emit, signal } = request;
  const memo = runMemo();
  const named = new Set(request.images.length === 0 ? graph.order : request.images);
  const wanted = new Set([...named].flatMap((image) => [image, ...graph.ancestors(image)]));
  const scratch = openScratch(request.cache);
  const index = openPythonIndex({ url: request.origins.pythonIndex, fetch: request.fetch ?? fetch, signal });
  const resolvers: Resolvers = {
    debian: openDebianResolver({ suite: series.suite, ...request.origins, cache: request.cache, scratch, signal, onLists: () => emit({ type: 'lists', suite: series.suite }) }),
    python: openPythonResolver({ index, cache: request.cache, scratch, fetcher: request.sources, signal }),
    sources: openSourceResolver({ root: request.root, index, fetcher: request.sources, signal }),
  };
  const done: LockedImage[] = [];
  try {
    for (const image of graph.order.filter((name) => wanted.has(name))) {
      if (signal?.aborted) throw new CcpError({ code: 'cancelled', message: 'locking was stopped' });
      const definition = graph.images.get(image)!;
      const status = checkLocks(graph, series, memo).get(image)!;
      const before = readable(definition, series, status);
      const fresh = update && named.has(image);
      if (status.state === 'current' && !fresh) {
        if (named.has(image)) done.push({ image, file: status.file, before: before!, after: before!, outcome: 'unchanged' });
        continue;
      }
      const layers = Object.fromEntries(Object.entries(lockParents(definition)).map(([role, parent]) => [role, layersOf(graph, parent, series)]));
      const after = await resolveImage(
        {
          definition,
          series,
          request: requestOf(graph, series, image, memo),
          layers,
          ...(fresh || before === undefined ? {} : { keep: before }),
          progress: (what) => emit({ type: 'resolving', image, what }),
          note: (detail) => emit({ type: 'note', image, detail }),
        },
        resolvers,
      );
      const outcome = writeLock(definition, after) ? 'written' : 'unchanged';
      emit({ type: 'locked', image, file: lockFileName(image, series.name), outcome });
      done.push({ image, file: status.file, ...(before === undefined ? {} : { before }), after, outcome });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const statuses = checkLocks(graph, series, memo);
  const written = done.filter(({ outcome }) => outcome === 'written').flatMap(({ image }) => graph.descendants(image));
  const below = new Set(written);
  const stale = graph.order.filter((image) => below.has(image) && !wanted.has(image) && statuses.get(image)!.state === 'stale');
  return { images: done, stale };
}

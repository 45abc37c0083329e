import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, sha256, type ImageName } from '#core';
import type { SeriesDefinition } from '#definitions';
import type { ImageGraph } from '#graph';
import type { Memo, SourceFetcher } from '#ports';
import { checkLocks, requestOf } from './check-locks.ts';
import { openDebianResolver } from './debian/debian-resolver.ts';
import type { LockEvents } from './events.ts';
import { readLock, writeLock } from './lock-store.ts';
import { openPythonIndex, type Fetch } from './python/index-client.ts';
import { openPythonResolver } from './python/python-resolver.ts';
import { resolveImage, resolveSources, type ImageEvents, type Resolvers } from './resolve-image.ts';
import { openScratch } from './scratch.ts';
import { openSourceResolver } from './source/source-resolver.ts';
import { lockParents } from './stack.ts';
import type { Lock, LockedSource, LockStatus } from './types.ts';

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

/** What an image's lock was, as far as it may be read, and whether it has to be resolved. */
interface Task {
  readonly status: LockStatus;
  readonly before?: Lock;
  readonly due: boolean;
  /** The lock whose versions are kept. */
  readonly keep?: Lock;
}

/**
 * Resolves locks and writes them, parents before children; each image's lock is written whole once all of it is resolved, so an
 * error leaves earlier images locked and the others as they were. Sources are asked for before anything is written. Images whose
 * lock is current are left alone unless `update` names them. Raises what the resolvers raise: codes `debian-*`, `python-*`,
 * `source-*`, `tool-missing`, `cancelled`.
 */
export async function resolveLocks(request: LockRequest): Promise<LockResult> {
  const { graph, series, emit, signal } = request;
  const memo = runMemo();
  const named = new Set(request.images.length === 0 ? graph.order : request.images);
  const wanted = new Set([...named].flatMap((image) => [image, ...graph.ancestors(image)]));
  const taskOf = (image: ImageName): Task => {
    const status = checkLocks(graph, series, memo).get(image)!;
    const fresh = request.update && named.has(image);
    const due = fresh || status.state !== 'current';
    if (status.summary === undefined) return { status, due };
    const before = readLock(graph.images.get(image)!, series.name);
    return { status, due, before, ...(fresh ? {} : { keep: before }) };
  };
  const cache = join(request.cache, 'locks');
  const scratch = openScratch(cache);
  const resolvers = openResolvers(request, cache, scratch);
  const done: LockedImage[] = [];
  try {
    const asked = async (image: ImageName, { keep }: Task): Promise<Record<string, LockedSource>> => {
      if (signal?.aborted) throw new CcpError({ code: 'cancelled', message: 'locking was stopped' });
      return resolveSources({ definition: graph.images.get(image)!, series, ...eventsFor(image, emit), ...(keep === undefined ? {} : { keep }) }, resolvers.sources);
    };
    const sources = new Map<ImageName, Record<string, LockedSource>>();
    for (const image of wanted) {
      const task = taskOf(image);
      if (task.due) sources.set(image, await asked(image, task));
    }
    for (const image of graph.order.filter((name) => wanted.has(name))) {
      const definition = graph.images.get(image)!;
      const task = taskOf(image);
      const { status, before, keep } = task;
      if (!task.due) {
        if (named.has(image)) done.push({ image, file: status.file, before: before!, after: before!, outcome: 'unchanged' });
        continue;
      }
      const after = await resolveImage(
        {
          definition,
          series,
          request: requestOf(graph, series, image, memo),
          layers: Object.fromEntries(Object.entries(lockParents(definition)).map(([role, parent]) => [role, layersOf(graph, parent, series)])),
          sources: sources.get(image) ?? (await asked(image, task)),
          ...(keep === undefined ? {} : { keep }),
          ...eventsFor(image, emit),
        },
        resolvers,
      );
      const outcome = writeLock(definition, after) ? 'written' : 'unchanged';
      emit({ type: 'locked', image, file: status.file, outcome });
      done.push({ image, file: status.file, ...(before === undefined ? {} : { before }), after, outcome });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const statuses = checkLocks(graph, series, memo);
  const below = new Set(done.flatMap(({ image, outcome }) => (outcome === 'written' ? graph.descendants(image) : [])));
  const stale = graph.order.filter((image) => below.has(image) && !wanted.has(image) && statuses.get(image)!.state === 'stale');
  return { images: done, stale };
}

function openResolvers(request: LockRequest, cache: string, scratch: string): Resolvers {
  const { root, origins, series, sources, emit, signal } = request;
  const index = openPythonIndex({ url: origins.pythonIndex, fetch: request.fetch ?? fetch, signal });
  return {
    debian: openDebianResolver({ suite: series.suite, ...origins, cache, scratch, signal, onLists: () => emit({ type: 'lists', suite: series.suite }) }),
    python: openPythonResolver({ index, cache, scratch, fetcher: sources, signal }),
    sources: openSourceResolver({ root, index, fetcher: sources, signal }),
  };
}

function eventsFor(image: ImageName, emit: LockEvents): ImageEvents {
  return { progress: (what) => emit({ type: 'resolving', image, what }), note: (detail) => emit({ type: 'note', image, detail }) };
}

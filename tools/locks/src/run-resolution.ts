import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CcpError, omitUndefined, type ImageName } from '#core';
import { runMemo, type SeriesDefinition } from '#definitions';
import type { ImageGraph } from '#graph';
import { proxiedFetch } from '#host';
import type { Memo } from '#ports';
import { recheckLocks, checkLocks, requestOf } from './check-locks.ts';
import { openDebianResolver } from './debian/debian-resolver.ts';
import type { LockEvents } from './events.ts';
import { openGoResolver } from './go/go-resolver.ts';
import type { LockedImage, LockRequest, LockResult } from './lock-request.ts';
import { readLock, writeLock } from './lock-store.ts';
import { openNpmResolver } from './npm/npm-resolver.ts';
import { fetchConstraints } from './python/fetch-constraints.ts';
import { openPythonIndex } from './python/index-client.ts';
import { openPythonResolver } from './python/python-resolver.ts';
import { resolveImage, resolveSources, type ImageEvents, type Resolvers } from './resolve-image.ts';
import { openScratch } from './scratch.ts';
import { openSourceResolver } from './source/source-resolver.ts';
import { lockParents } from './stack.ts';
import type { Lock, LockedSource, LockStatus } from './types.ts';

/** The locks of an image and of its base images. */
function layersOf(graph: ImageGraph, image: ImageName, series: SeriesDefinition): readonly Lock[] {
  const definition = graph.images.get(image)!;
  const base = definition.parents['base'];
  return [
    readLock(definition, series.name),
    ...(base === undefined ? [] : layersOf(graph, base, series)),
  ];
}

/** An image's previous lock and whether it must be resolved. */
interface Task {
  readonly status: LockStatus;
  readonly before?: Lock;
  readonly due: boolean;
  /** The previous lock, if its versions are kept. */
  readonly keep?: Lock;
}

/** State of one resolution. */
interface Run {
  readonly request: LockRequest;
  /** The request's series with the fetched constraints. */
  readonly series: SeriesDefinition;
  readonly resolvers: Resolvers;
  readonly memo: Memo;
  /** Updated after each written lock. */
  readonly statuses: Map<ImageName, LockStatus>;
}

/** Implements `resolveLocks`. */
export async function runResolution(request: LockRequest): Promise<LockResult> {
  const { graph } = request;
  const memo = runMemo();
  const named = new Set(request.images.length === 0 ? graph.order : request.images);
  const wanted = new Set([...named].flatMap((image) => [image, ...graph.ancestors(image)]));
  const series = await withConstraints(request, [...wanted], named);
  const statuses = new Map(checkLocks(graph, series, memo));
  const cache = join(request.cache, 'locks');
  const scratch = openScratch(cache);
  const run: Run = {
    request,
    series,
    resolvers: openResolvers({ ...request, series }, cache, scratch, statuses),
    memo,
    statuses,
  };
  const done: LockedImage[] = [];
  try {
    const sources = new Map<ImageName, Record<string, LockedSource>>();
    for (const image of wanted) {
      const task = taskOf(run, image, named);
      if (task.due) sources.set(image, await resolveTaskSources(run, image, task));
    }
    for (const image of graph.order.filter((name) => wanted.has(name))) {
      const task = taskOf(run, image, named);
      const { status, before } = task;
      if (task.due) done.push(await lockImage(run, image, task, sources.get(image)));
      else if (named.has(image))
        done.push({
          image,
          file: status.file,
          before: before!,
          after: before!,
          outcome: 'unchanged',
        });
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const below = new Set(
    done.flatMap(({ image, outcome }) => (outcome === 'written' ? graph.descendants(image) : [])),
  );
  const stale = graph.order.filter(
    (image) => below.has(image) && !wanted.has(image) && statuses.get(image)!.state === 'stale',
  );
  return { images: done, stale };
}

function taskOf(
  { request, series, statuses }: Run,
  image: ImageName,
  named: ReadonlySet<ImageName>,
): Task {
  const status = statuses.get(image)!;
  const fresh = request.update && named.has(image);
  const due = fresh || status.state !== 'current';
  if (status.summary === undefined) return { status, due };
  const before = readLock(request.graph.images.get(image)!, series.name);
  return { status, due, before, ...(fresh ? {} : { keep: before }) };
}

async function resolveTaskSources(
  { request, series, resolvers }: Run,
  image: ImageName,
  { keep }: Task,
): Promise<Record<string, LockedSource>> {
  const { graph, emit, signal } = request;
  if (signal?.aborted) throw new CcpError({ code: 'cancelled', message: 'locking was stopped' });
  const imageRequest = {
    definition: graph.images.get(image)!,
    series,
    ...eventsFor(image, emit),
    ...omitUndefined({ keep }),
  };
  return resolveSources(imageRequest, resolvers.sources);
}

/**
 * Resolves an image and writes its lock; `sources` is `undefined` if a lock written by this run
 * made it out of date.
 */
async function lockImage(
  run: Run,
  image: ImageName,
  task: Task,
  sources: Readonly<Record<string, LockedSource>> | undefined,
): Promise<LockedImage> {
  const { series, resolvers, memo, statuses } = run;
  const { graph, emit } = run.request;
  const { status, before, keep } = task;
  const definition = graph.images.get(image)!;
  const tampered = status.state === 'tampered';
  if (tampered)
    eventsFor(image, emit).note(
      `${status.file} could not be read and is resolved again: ${status.reason}`,
    );
  const request = requestOf(graph, series, image, memo);
  const imageRequest = {
    definition,
    series,
    request,
    layers: Object.fromEntries(
      Object.entries(lockParents(definition)).map(([role, parent]) => [
        role,
        layersOf(graph, parent, series),
      ]),
    ),
    sources: sources ?? (await resolveTaskSources(run, image, task)),
    ...omitUndefined({ keep }),
    ...eventsFor(image, emit),
  };
  const after = await resolveImage(imageRequest, resolvers);
  if (requestOf(graph, series, image, memo) !== request) throw inputsChanged(image);
  const outcome = writeLock(definition, after) ? 'written' : 'unchanged';
  recheckLocks(graph, series, memo, statuses, [image, ...graph.descendants(image)]);
  const { file } = statuses.get(image)!;
  emit({ type: 'locked', image, file, outcome });
  return {
    image,
    file,
    ...omitUndefined({ before }),
    after,
    outcome,
    ...(tampered ? { unreadable: true } : {}),
  };
}

/** The lock would match the new inputs although it was partly resolved from the old ones. */
function inputsChanged(image: ImageName): CcpError {
  return new CcpError({
    code: 'file-changed',
    message: `the series' constraints, package-lock.json or the lock of a parent of ${image} changed while the image was resolved; its lock was not written`,
    hint: 'wait until no process changes these files, then run the command again; locks written so far are kept',
  });
}

/** Fetches the series' upper constraints from git if they are missing or must be updated. */
async function withConstraints(
  { graph, series, workspaces, update, sources, emit, signal }: LockRequest,
  wanted: readonly ImageName[],
  named: ReadonlySet<ImageName>,
): Promise<SeriesDefinition> {
  const { constraints, constraintsFrom: origin } = series;
  const usesPython = (image: ImageName): boolean => graph.images.get(image)!.python !== undefined;
  if (origin === undefined || !wanted.some(usesPython)) return series;
  if (constraints !== undefined && !(update && [...named].some(usesPython))) return series;
  const commit = await fetchConstraints(origin, sources, signal);
  emit({
    type: 'constraints',
    file: relative(workspaces[0]!, origin.file),
    repository: origin.repository,
    commit,
  });
  return { ...series, constraints: origin.file };
}

function openResolvers(
  request: LockRequest,
  cache: string,
  scratch: string,
  statuses: ReadonlyMap<ImageName, LockStatus>,
): Resolvers {
  const { workspaces, graph, origins, series, sources, emit, signal } = request;
  const index = openPythonIndex({
    urls: origins.pythonIndexes,
    fetch: request.fetch ?? proxiedFetch,
    signal,
  });
  return {
    debian: openDebianResolver({
      suite: series.suite,
      series: series.name,
      ...origins,
      keyring: origins.debianKeyring,
      controls: request.debianControls,
      known: () =>
        [...statuses.values()]
          .filter(({ summary }) => summary !== undefined)
          .map(({ image }) => readLock(graph.images.get(image)!, series.name))
          .flatMap(({ debian }) => Object.values(debian).flat()),
      cache,
      scratch,
      signal,
      onLists: () => emit({ type: 'lists', suite: series.suite }),
    }),
    python: openPythonResolver({ index, cache, scratch, fetcher: sources, signal }),
    npm: openNpmResolver({
      registries: origins.npmRegistries,
      fetch: request.fetch ?? proxiedFetch,
      signal,
    }),
    go: openGoResolver({ proxies: origins.goProxies, cache, scratch, signal }),
    sources: openSourceResolver({ workspaces, index, fetcher: sources, signal }),
  };
}

function eventsFor(image: ImageName, emit: LockEvents): ImageEvents {
  return {
    progress: (step) => emit({ type: 'resolving', image, what: step }),
    note: (detail) => emit({ type: 'note', image, detail }),
  };
}

import {
  CcpError,
  codeOf,
  messageOf,
  omitUndefined,
  reading,
  type ImageName,
  type Sha256,
} from '#core';
import type { ImageDefinition, SeriesDefinition } from '#definitions';
import type { ImageGraph } from '#graph';
import { readUnchanged } from '#host';
import type { Memo } from '#ports';
import { fileName } from './file-name.ts';
import { parseLock } from './lock-file.ts';
import { lockFileName, lockPath, lockStat } from './lock-store.ts';
import { requestedHash } from './npm/requested-hash.ts';
import { requestHash } from './request.ts';
import { IMAGE_STAGES, lockParents, type StackHashes } from './stack.ts';
import { staleReason, type ExpectedRequest } from './stale-reason.ts';
import { summarise } from './summary.ts';
import type { LockStatus, LockSummary } from './types.ts';

type Reading = { readonly summary: LockSummary } | { readonly broken: string };
type Summaries = (image: ImageName) => LockSummary | undefined;

function readSummary(
  definition: ImageDefinition,
  series: SeriesDefinition,
  memo: Memo,
): Reading | undefined {
  const path = lockPath(definition, series.name);
  const file = lockFileName(definition, series.name);
  const stat = lockStat(path, file);
  if (stat === undefined) return undefined;
  const hash = reading(file, () => memo.fileSha256(path, stat));
  return memo.recall<Reading>(`lock-summary:3:${definition.name}:${series.name}:${hash}`, () => {
    const text = readUnchanged(path, hash, file).toString();
    try {
      return { summary: summarise(parseLock(text, file, definition.name, series.name)) };
    } catch (thrown) {
      if (!(thrown instanceof CcpError)) throw thrown;
      return { broken: messageOf(thrown) };
    }
  });
}

/** The inputs of a lock check. */
interface Check {
  readonly graph: ImageGraph;
  readonly series: SeriesDefinition;
  readonly memo: Memo;
  /**
   * SHA-256 of the series' upper constraints; `definition` determines the file name in messages.
   */
  readonly constraintsHash: (definition: ImageDefinition) => Sha256 | undefined;
}

function stackOf(
  graph: ImageGraph,
  image: ImageName,
  summaries: Summaries,
): StackHashes | undefined {
  const summary = summaries(image);
  const base = graph.images.get(image)?.parents['base'];
  const below: StackHashes | undefined =
    base === undefined ? { debian: [], python: [], go: [] } : stackOf(graph, base, summaries);
  if (summary === undefined || below === undefined) return undefined;
  const own = IMAGE_STAGES.flatMap((stage) => summary.debian[stage] ?? []);
  return {
    debian: [...own, ...below.debian],
    python: [summary.python.runtime, ...below.python],
    go: summary.go === undefined ? below.go : [summary.go.files, ...below.go],
  };
}

/**
 * Computes the request that the image's lock must match, or the reason why it cannot be computed: a
 * parent without a usable lock, or a package that is not in npm's lock.
 */
function expectedRequest(
  { graph, series, memo, constraintsHash }: Check,
  image: ImageName,
  summaries: Summaries,
): ExpectedRequest | { readonly missing: string } {
  const definition = graph.images.get(image)!;
  const parents: Record<string, StackHashes> = {};
  for (const [role, parent] of Object.entries(lockParents(definition))) {
    const stack = stackOf(graph, parent, summaries);
    if (stack === undefined) return { missing: `the ${role} ${parent} has no usable lock` };
    parents[role] = stack;
  }
  const constraints = definition.python === undefined ? undefined : constraintsHash(definition);
  try {
    const npm = definition.npm === undefined ? undefined : requestedHash(definition, memo);
    const parts = {
      definition,
      series,
      ...omitUndefined({ constraints }),
      ...omitUndefined({ npm }),
      parents,
    };
    return { request: requestHash(parts), parts };
  } catch (thrown) {
    if (codeOf(thrown) !== 'npm-unknown') throw thrown;
    return { missing: messageOf(thrown) };
  }
}

function checkOf(graph: ImageGraph, series: SeriesDefinition, memo: Memo): Check {
  const { constraints: path } = series;
  let hash: Sha256 | undefined;
  const constraintsHash: Check['constraintsHash'] = (definition) => {
    if (path === undefined) return undefined;
    return (hash ??= reading(fileName(definition, path), () => memo.fileSha256(path)));
  };
  return { graph, series, memo, constraintsHash };
}

/**
 * Computes the request for a new lock of the image. Raises `lock-missing` if a parent has no usable
 * lock.
 */
export function requestOf(
  graph: ImageGraph,
  series: SeriesDefinition,
  image: ImageName,
  memo: Memo,
): Sha256 {
  const summaries: Summaries = (name) => {
    const reading = readSummary(graph.images.get(name)!, series, memo);
    return reading !== undefined && 'summary' in reading ? reading.summary : undefined;
  };
  const expected = expectedRequest(checkOf(graph, series, memo), image, summaries);
  if ('request' in expected) return expected.request;
  throw new CcpError({
    code: 'lock-missing',
    message: `${image} cannot be locked: ${expected.missing}`,
  });
}

/**
 * Checks whether every image's lock matches its definition, parents before children. Files that the
 * memo has seen are not parsed again, so every plan can afford the check. `current` and `stale`
 * locks have a `summary`. A lock is also stale if the locked packages of a parent have changed or
 * are missing.
 */
export function checkLocks(
  graph: ImageGraph,
  series: SeriesDefinition,
  memo: Memo,
): ReadonlyMap<ImageName, LockStatus> {
  const statuses = new Map<ImageName, LockStatus>();
  recheckLocks(graph, series, memo, statuses, graph.order);
  return statuses;
}

/**
 * Updates `statuses` for `images`, which must be ordered parents before children; the statuses of
 * their ancestors must be present. Call it with an image and its descendants after writing the
 * image's lock.
 */
export function recheckLocks(
  graph: ImageGraph,
  series: SeriesDefinition,
  memo: Memo,
  statuses: Map<ImageName, LockStatus>,
  images: readonly ImageName[],
): void {
  const check = checkOf(graph, series, memo);
  for (const image of images) {
    const definition = graph.images.get(image)!;
    const entry = { image, series: series.name, file: lockFileName(definition, series.name) };
    const reading = readSummary(definition, series, memo);
    if (reading === undefined) {
      statuses.set(image, { ...entry, state: 'missing' });
    } else if ('broken' in reading) {
      statuses.set(image, { ...entry, state: 'tampered', reason: reading.broken });
    } else {
      const { summary } = reading;
      const summaries: Summaries = (name) =>
        statuses.get(name)?.summary ?? (name === image ? summary : undefined);
      const expected = expectedRequest(check, image, summaries);
      const reason =
        'missing' in expected ? expected.missing : staleReason(expected, summary.request, memo);
      statuses.set(image, {
        ...entry,
        state: reason === undefined ? 'current' : 'stale',
        ...omitUndefined({ reason }),
        summary,
      });
    }
  }
}

/**
 * Describes locks that are not up to date, one line per lock; three or more locks with the same
 * problem share a line.
 */
export function lockFaults(
  wrong: readonly Pick<LockStatus, 'image' | 'series' | 'file' | 'state' | 'reason'>[],
): readonly string[] {
  const groups = Map.groupBy(wrong, ({ state, reason }) => `${state} ${reason}`);
  return [...groups.values()].flatMap((group) => {
    const [{ state, reason, series }] = group as [LockStatus];
    const fault = (be: 'is' | 'are'): string => {
      if (state === 'missing') return `${be} missing`;
      return `${state === 'stale' ? `${be} out of date` : 'cannot be used'}: ${reason}`;
    };
    if (group.length <= SHARED_LINE) return group.map(({ file }) => `${file} ${fault('is')}`);
    return [
      `the locks of ${group.map(({ image }) => image).join(', ')} for ${series} ${fault('are')}`,
    ];
  });
}

/** Up to this many locks with the same problem get separate lines. */
const SHARED_LINE = 2;

/**
 * The error of `plan` and `build` for locks that are not up to date; `undefined` if the locks of
 * all `images` are.
 */
export function refuseLocks(
  statuses: ReadonlyMap<ImageName, LockStatus>,
  images: readonly ImageName[],
): CcpError | undefined {
  const wrong = images
    .flatMap((image) => statuses.get(image) ?? [])
    .filter(({ state }) => state !== 'current');
  const first = wrong[0];
  if (first === undefined) return undefined;
  return new CcpError({
    code: `lock-${first.state}`,
    message: lockFaults(wrong).join('\n'),
    hint: lockHint(wrong, statuses.size, first.series),
  });
}

/** The hint for locks that are not up to date; names the images unless all `total` are wrong. */
export function lockHint(
  wrong: readonly Pick<LockStatus, 'image'>[],
  total: number,
  series: string,
): string {
  const images = wrong.length === total ? [] : wrong.map(({ image }) => image);
  return `run: ${['ccp lock', ...images, '--series', series].join(' ')}`;
}

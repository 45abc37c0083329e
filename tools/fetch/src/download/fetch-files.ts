import pLimit from 'p-limit';
import { CcpError, shortLines, throwFindings, withInputs } from '#core';
import type { Cache } from '../cache/cache.ts';
import { lockedFileName } from '../locked-file.ts';
import type { LockedFile } from '../locked-file.ts';
import { mergeFailures, type FileFailure } from './merge-failures.ts';
import { fetchOne, type FetchRun } from './fetch-one.ts';
import type { FetchOptions, FetchReport } from './fetch.ts';
import { openHttpClient } from './http-client.ts';
import { DEFAULT_RETRY } from './retry.ts';

/** Default number of parallel downloads. */
const CONCURRENCY = 8;
/** Missing files that a message lists one by one. */
const MAX_NAMED = 20;

/** Errors that stop the fetch: further downloads would fail for the same reason. */
const FATAL = new Set([
  'mirror-unreachable',
  'mirror-unknown',
  'cache-full',
  'cache-failed',
  'machine-rights',
  'ca-unreadable',
]);

/**
 * Checks the cached files and fetches missing or damaged ones. Raises `offline-missing`,
 * `checksum-mismatch`, `file-gone` and `mirror-refused` for all failed files together. Stops
 * immediately with `mirror-unreachable`, `mirror-unknown`, `cache-full`, `cache-failed`,
 * `machine-rights`, `ca-unreadable` and, on the signal, `cancelled`; files fetched so far stay in
 * the cache.
 */
export async function fetchFiles(
  cache: Cache,
  files: readonly LockedFile[],
  options: FetchOptions,
): Promise<FetchReport> {
  const {
    concurrency = CONCURRENCY,
    signal = new AbortController().signal,
    events = () => undefined,
    offline = false,
    check = 'content',
  } = options;
  const wanted = [...new Map(files.map((file) => [file.sha256, file])).values()];
  const limit = pLimit(concurrency);
  const missing = (
    await limit.map(wanted, (file) => missingOf(cache, file, events, { offline, check }))
  ).flat();
  if (missing.length > 0 && offline) throw offlineMissing(missing);
  events({
    type: 'fetch-started',
    files: missing.length,
    size: missing.reduce((sum, { size }) => sum + size, 0),
  });
  const received =
    missing.length === 0
      ? 0
      : await fetchMissing(cache, missing, { ...options, signal, events, concurrency });
  return { reused: wanted.length - missing.length, fetched: missing.length, received };
}

async function missingOf(
  cache: Cache,
  file: LockedFile,
  events: NonNullable<FetchOptions['events']>,
  { offline, check }: Required<Pick<FetchOptions, 'offline' | 'check'>>,
): Promise<LockedFile[]> {
  const size = cache.sizeOf(file.sha256);
  if (size === undefined) return [file];
  if (check === 'size' && size === file.size) return [];
  // A file of another user, in a shared cache, may have terabytes of holes.
  if (size <= file.size && (await cache.verify(file.sha256))) return [];
  events({ type: 'fetch-corrupt', name: lockedFileName(file), offline });
  return [file];
}

type RunOptions = FetchOptions & Required<Pick<FetchOptions, 'signal' | 'events' | 'concurrency'>>;

async function fetchMissing(
  cache: Cache,
  missing: readonly LockedFile[],
  options: RunOptions,
): Promise<number> {
  const client = openHttpClient(options.env, options.silenceMs);
  const stop = new AbortController();
  const run: FetchRun = {
    cache,
    client,
    mirrors: options.mirrors,
    signal: AbortSignal.any([options.signal, stop.signal]),
    events: options.events,
    retry: options.retry ?? DEFAULT_RETRY,
    projects: new Map(),
    silent: new Set(),
  };
  const limit = pLimit(options.concurrency);
  const failures: FileFailure[] = [];
  try {
    const sizes = await limit.map(missing, async (file) => {
      if (run.signal.aborted) return 0;
      try {
        return await fetchOne(run, file, lockedFileName(file));
      } catch (thrown) {
        if (run.signal.aborted) return 0;
        if (!(thrown instanceof CcpError)) throw thrown;
        const name = lockedFileName(file);
        failures.push({ file, name, error: withInputs(thrown, [name]) });
        if (FATAL.has(thrown.code)) stop.abort();
        return 0;
      }
    });
    if (options.signal.aborted)
      throw new CcpError({
        code: 'cancelled',
        message: 'fetching was cancelled',
        hint: 'run the command again: it resumes where it stopped',
      });
    const fatal = failures.find(({ error }) => FATAL.has(error.code));
    throwFindings(fatal === undefined ? mergeFailures(failures, missing) : [fatal.error]);
    return sizes.reduce((sum, size) => sum + size, 0);
  } finally {
    stop.abort();
    client.close();
    options.events({ type: 'fetch-ended' });
  }
}

function offlineMissing(missing: readonly LockedFile[]): CcpError {
  const names = missing.map(lockedFileName).sort();
  return new CcpError({
    code: 'offline-missing',
    message: [
      `${names.length} locked ${names.length === 1 ? 'file is' : 'files are'} not in the cache:`,
      ...shortLines(names, MAX_NAMED),
    ].join('\n- '),
    inputs: names,
    hint: 'run "ccp fetch" once with network access, or use a cache that has them (CCP_CACHE)',
  });
}

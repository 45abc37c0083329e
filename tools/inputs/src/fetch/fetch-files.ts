import pLimit from 'p-limit';
import { CcpError, throwFindings } from '#core';
import type { Cache } from '../cache/cache.ts';
import { lockedFileName } from '../locked-file-name.ts';
import type { LockedFile } from '../types.ts';
import { alikeFailures, type FileFailure } from './alike-failures.ts';
import { fetchOne, type FetchRun } from './fetch-one.ts';
import type { FetchOptions, FetchReport } from './fetch.ts';
import { openHttpClient } from './http-client.ts';
import { PATIENT } from './retry.ts';

/** Downloads at once where the caller does not say. */
const CONCURRENCY = 8;
/** Missing files that a message lists one by one. */
const MAX_NAMED = 20;

/** After one of these, more downloads would only fail alike. */
const FATAL = new Set(['mirror-unreachable', 'mirror-unknown', 'cache-full', 'cache-failed', 'machine-rights', 'ca-unreadable']);

/**
 * Makes sure that the cache holds these files. What is there is read and checked first; what is missing or damaged is fetched. All
 * files that cannot be had are told together: `offline-missing`, `checksum-mismatch`, `file-gone`, `mirror-refused`. Raises at once
 * `mirror-unreachable`, `mirror-unknown`, `cache-full`, `cache-failed`, `machine-rights` and, on the signal, `cancelled`; what came by then stays.
 */
export async function fetchFiles(cache: Cache, files: readonly LockedFile[], options: FetchOptions): Promise<FetchReport> {
  const { concurrency = CONCURRENCY, signal = new AbortController().signal, events = () => undefined, offline = false } = options;
  const wanted = [...new Map(files.map((file) => [file.sha256, file])).values()];
  const limit = pLimit(concurrency);
  const missing = (await limit.map(wanted, (file) => missingOf(cache, file, events, offline))).flat();
  if (missing.length > 0 && offline) throw offlineMissing(missing);
  events({ type: 'fetch-started', files: missing.length, size: missing.reduce((sum, { size }) => sum + size, 0) });
  const received = missing.length === 0 ? 0 : await fetchMissing(cache, missing, { ...options, signal, events, concurrency });
  return { reused: wanted.length - missing.length, fetched: missing.length, received };
}

async function missingOf(cache: Cache, file: LockedFile, events: NonNullable<FetchOptions['events']>, offline: boolean): Promise<LockedFile[]> {
  if (cache.sizeOf(file.sha256) === undefined) return [file];
  if (await cache.verify(file.sha256)) return [];
  events({ type: 'fetch-corrupt', name: lockedFileName(file), offline });
  return [file];
}

type RunOptions = FetchOptions & Required<Pick<FetchOptions, 'signal' | 'events' | 'concurrency'>>;

async function fetchMissing(cache: Cache, missing: readonly LockedFile[], options: RunOptions): Promise<number> {
  const client = openHttpClient(options.env, options.silenceMs);
  const stop = new AbortController();
  const run: FetchRun = {
    cache,
    client,
    mirrors: options.mirrors,
    signal: AbortSignal.any([options.signal, stop.signal]),
    events: options.events,
    retry: options.retry ?? PATIENT,
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
        failures.push({ file, name: lockedFileName(file), error: thrown });
        if (FATAL.has(thrown.code)) stop.abort();
        return 0;
      }
    });
    if (options.signal.aborted) throw new CcpError({ code: 'cancelled', message: 'fetching was cancelled', hint: 'run it again: it goes on where it stopped' });
    const fatal = failures.find(({ error }) => FATAL.has(error.code));
    throwFindings(fatal === undefined ? alikeFailures(failures, missing) : [fatal.error]);
    return sizes.reduce((sum, size) => sum + size, 0);
  } finally {
    stop.abort();
    client.close();
  }
}

function offlineMissing(missing: readonly LockedFile[]): CcpError {
  const names = missing.map(lockedFileName).sort();
  const more = names.length - MAX_NAMED;
  const listed = [...names.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more`] : [])];
  return new CcpError({
    code: 'offline-missing',
    message: [`${names.length} locked ${names.length === 1 ? 'file is' : 'files are'} not in the cache:`, ...listed].join('\n- '),
    hint: 'run "ccp fetch" once with a network, or share a cache that has them (CCP_CACHE)',
  });
}

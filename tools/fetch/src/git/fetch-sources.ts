import pLimit from 'p-limit';
import { CcpError, redact, throwFindings, withInputs } from '#core';
import type { GitSource, SourceFetcher } from '#ports';
import type { Cache } from '../cache/cache.ts';
import { gitArchiveKey } from './archive-key.ts';

export interface FetchSourcesOptions {
  readonly signal?: AbortSignal;
  /**
   * No network access: raise `offline-missing` with every commit that neither the cache nor a git
   * mirror has.
   */
  readonly offline?: boolean;
  /** Number of parallel fetches. */
  readonly concurrency?: number;
}

/** Low, since git hosts limit connections per client and each fetch starts processes. */
const CONCURRENCY = 4;

/**
 * Stores the tree of every commit as a tar in the cache; cached trees are verified first. Raises
 * all missing commits together. Any other error of `fetcher` cancels the running fetches and is
 * raised immediately; the signal raises `cancelled`.
 */
export async function fetchSources(
  cache: Cache,
  fetcher: SourceFetcher,
  sources: readonly GitSource[],
  options: FetchSourcesOptions = {},
): Promise<void> {
  const { signal, offline = false, concurrency = CONCURRENCY } = options;
  const stop = new AbortController();
  const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const missing: { readonly source: GitSource; readonly finding: CcpError }[] = [];
  let failure: { readonly thrown: unknown } | undefined;
  const wanted = new Map(sources.map((source) => [gitArchiveKey(source), source]));
  await pLimit(concurrency).map(wanted, async ([key, source]) => {
    if (either.aborted) return;
    try {
      const known = cache.derived(key);
      if (known !== undefined && (await cache.verify(known.sha256))) return;
      if (!offline) await fetcher.fetch(source, either);
      await cache.putDerived(key, fetcher.archive(source));
    } catch (thrown) {
      if (thrown instanceof CcpError && thrown.code === 'source-commit-missing')
        missing.push({ source, finding: withInputs(thrown, [redact(source.url)]) });
      else failure ??= { thrown };
      if (failure !== undefined) stop.abort();
    }
  });
  if (signal?.aborted === true)
    throw new CcpError({ code: 'cancelled', message: 'fetching was cancelled' });
  if (failure !== undefined) throw failure.thrown;
  if (!offline) throwFindings(missing.map(({ finding }) => finding));
  if (missing.length === 0) return;
  const named = missing.map(({ source: { url, commit } }) => `${url} at ${commit}`).join(', ');
  throw new CcpError({
    code: 'offline-missing',
    message: `${missing.length} locked ${missing.length === 1 ? 'source is' : 'sources are'} not in the cache: ${named}`,
    inputs: missing.map(({ source: { url } }) => redact(url)),
    hint: 'run "ccp fetch" once with network access, or use a cache that has them (CCP_CACHE)',
  });
}

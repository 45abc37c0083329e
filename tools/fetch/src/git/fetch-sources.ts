import pLimit from 'p-limit';
import { CcpError, redact, throwFindings, withInputs } from '#core';
import type { GitSource, SourceFetcher, SourceProgress } from '#ports';
import type { Cache } from '../cache/cache.ts';
import { gitArchiveKey } from './archive-key.ts';

/**
 * Progress of a fetch of git sources. `sources-ended` follows every start, also on failure; a
 * source is fetched once its tree is in the cache.
 */
export type SourceEvent =
  | { readonly type: 'sources-started'; readonly sources: number }
  | ({ readonly type: 'source-progress'; readonly url: string } & SourceProgress)
  | { readonly type: 'source-fetched'; readonly url: string }
  | { readonly type: 'sources-ended' };

export interface FetchSourcesOptions {
  readonly signal?: AbortSignal;
  /**
   * No network access: raise `offline-missing` with every commit that neither the cache nor a git
   * mirror has.
   */
  readonly offline?: boolean;
  /** How cached trees are checked: by their content (the default), or not at all. */
  readonly check?: 'content' | 'size';
  /** Number of parallel fetches. */
  readonly concurrency?: number;
  readonly events?: (event: SourceEvent) => void;
}

/** Low, since git hosts limit connections per client and each fetch starts processes. */
const CONCURRENCY = 4;

/**
 * Stores the tree of every commit as a tar in the cache; cached trees are checked first. Raises
 * all missing commits together. Any other error of `fetcher` cancels the running fetches and is
 * raised immediately; the signal raises `cancelled`.
 */
export async function fetchSources(
  cache: Cache,
  fetcher: SourceFetcher,
  sources: readonly GitSource[],
  options: FetchSourcesOptions = {},
): Promise<void> {
  const { signal, offline = false, concurrency = CONCURRENCY, events = () => undefined } = options;
  const { check = 'content' } = options;
  const stop = new AbortController();
  const either = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const missing: { readonly source: GitSource; readonly finding: CcpError }[] = [];
  let failure: { readonly thrown: unknown } | undefined;
  const wanted = new Map(sources.map((source) => [gitArchiveKey(source), source]));
  const isCached = async (key: string): Promise<boolean> => {
    const known = cache.derived(key);
    return known !== undefined && (check === 'size' || (await cache.verify(known.sha256)));
  };
  const limit = pLimit(concurrency);
  const cached = await limit.map(wanted.keys(), async (key) => !either.aborted && isCached(key));
  const absent = [...wanted].filter((_, index) => cached[index] !== true);
  const isFetch = absent.length > 0 && !offline;
  if (isFetch) events({ type: 'sources-started', sources: absent.length });
  await limit.map(absent, async ([key, source]) => {
    const { url } = source;
    if (either.aborted) return;
    try {
      if (!offline)
        await fetcher.fetch(source, either, (progress) =>
          events({ type: 'source-progress', url, ...progress }),
        );
      await cache.putDerived(key, fetcher.archive(source));
      if (isFetch) events({ type: 'source-fetched', url });
    } catch (thrown) {
      if (thrown instanceof CcpError && thrown.code === 'source-commit-missing')
        missing.push({ source, finding: withInputs(thrown, [redact(source.url)]) });
      else failure ??= { thrown };
      if (failure !== undefined) stop.abort();
    }
  });
  if (isFetch) events({ type: 'sources-ended' });
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

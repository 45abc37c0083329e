import { CcpError, codeOf } from '#core';
import type { GitSource, SourceFetcher } from '#ports';
import type { Cache } from '../cache/cache.ts';
import { gitArchiveKey } from './archive-key.ts';

export interface FetchSourcesOptions {
  readonly signal?: AbortSignal;
  /** Never touch the network: raise `offline-missing` naming every commit that neither the cache nor a mirror has. */
  readonly offline?: boolean;
}

/**
 * Makes sure that the cache holds the tree of every commit as a tar; what is there is read and checked first. Raises what `fetcher`
 * raises, and `cancelled`.
 */
export async function fetchSources(cache: Cache, fetcher: SourceFetcher, sources: readonly GitSource[], { signal, offline = false }: FetchSourcesOptions = {}): Promise<void> {
  const missing: GitSource[] = [];
  for (const [key, source] of new Map(sources.map((source) => [gitArchiveKey(source), source]))) {
    if (signal?.aborted === true) throw new CcpError({ code: 'cancelled', message: 'fetching was cancelled' });
    const known = cache.derived(key);
    if (known !== undefined && (await cache.verify(known.sha256))) continue;
    try {
      if (!offline) await fetcher.fetch(source, signal);
      await cache.putDerived(key, fetcher.archive(source));
    } catch (thrown) {
      if (!offline || codeOf(thrown) !== 'source-commit-missing') throw thrown;
      missing.push(source);
    }
  }
  if (missing.length === 0) return;
  throw new CcpError({
    code: 'offline-missing',
    message: `${missing.length} locked ${missing.length === 1 ? 'source is' : 'sources are'} not in the cache: ${missing.map(({ url, commit }) => `${url} at ${commit}`).join(', ')}`,
    hint: 'run "ccp fetch" once with a network, or share a cache that has them (CCP_CACHE)',
  });
}

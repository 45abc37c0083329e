// `#inputs/fetch`: what brings the bytes. `ccp plan`, which needs their hashes alone, does not load it.
export type { Cache, CacheEntry, CachePrune, CacheUsage } from '../cache/cache.ts';
export { openCache } from '../cache/open-cache.ts';
export type { FetchSourcesOptions } from '../git/fetch-sources.ts';
export type { GitSourcesOptions } from '../git/git-sources.ts';
export { openMirrors } from '../mirrors/open-mirrors.ts';
export { fetchFiles, fetchSources, openGitSources, writeContext } from '../on-demand.ts';

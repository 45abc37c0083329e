export type { Cache, CacheEntry } from './cache/cache.ts';
export { openCache } from './cache/open-cache.ts';
export type { FetchEvent, FetchReport } from './download/fetch.ts';
export type { SourceEvent } from './git/fetch-sources.ts';
export type { MirrorSettings } from './mirrors/mirrors.ts';
export { openMirrors } from './mirrors/open-mirrors.ts';
export { fetchControls, fetchFiles, fetchSources, openGitSources, seedOf } from './on-demand.ts';

export type { Cache, CacheEntry, CachePrune, CacheUsage } from './cache/cache.ts';
export { openCache } from './cache/open-cache.ts';
export { describeInputs, type DescribeRequest } from './context/describe-inputs.ts';
export { listContext, type ContextRequest } from './context/list-context.ts';
export { lockedFilesOf, lockedGitSources } from './context/sources.ts';
export { writeContext } from './context/write-context.ts';
export type * from './fetch/fetch.ts';
export { fetchFiles } from './fetch/fetch-files.ts';
export { openMemo } from './memo/open-memo.ts';
export { discoverDebianMirrors } from './mirrors/discover-debian.ts';
export { discoverPythonIndex } from './mirrors/discover-python.ts';
export type * from './mirrors/mirrors.ts';
export { openMirrors } from './mirrors/open-mirrors.ts';
export { renderDockerfile } from './templates/render-dockerfile.ts';
export { parentArg } from './templates/template-context.ts';
export type * from './types.ts';
// Signatures to come, each from its file:
// openGitSources({ folder, rewrites?: Record<string, string>, env? }): SourceFetcher
// fetchSources(cache, fetcher, sources: readonly GitSource[], { offline?, signal? }): Promise<void>   -> archives of commits into the cache, before writeContext

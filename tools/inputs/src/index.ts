export type { Cache, CacheEntry, CacheUsage } from './cache/cache.ts';
export type * from './fetch/fetch.ts';
export type * from './mirrors/mirrors.ts';
export { openMemo } from './memo/open-memo.ts';
export { renderDockerfile } from './templates/render-dockerfile.ts';
export { parentArg } from './templates/template-context.ts';
export type * from './types.ts';
// Signatures to come, each from its file:
// openCache(options: { folder: string }): Cache
// fetchFiles(cache: Cache, files: readonly LockedFile[], options: FetchOptions): Promise<FetchReport>
// openMirrors(settings?: MirrorSettings, host?: { env, root, run }): Mirrors; discoverDebianMirrors(root?): DebianMirrors; discoverPythonIndex(env?): PythonIndex
// openGitSources({ folder, rewrites?: Record<string, string>, env? }): SourceFetcher
// fetchSources(cache, fetcher, sources: readonly GitSource[], { offline?, signal? }): Promise<void>   -> archives of commits into the cache, before writeContext
// lockedGitSources(lock, origin): GitSource[]; lockedFilesOf(lock, origin): LockedFile[]
// describeInputs({ definition, series, platform, origin, summary, memo }): ImageInputs
// listContext({ definition, series, lock, origin, dockerfile }): ContextEntry[]
// writeContext(entries, cache): AsyncIterable<Uint8Array>

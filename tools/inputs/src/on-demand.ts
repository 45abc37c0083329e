import type { SourceFetcher } from '#ports';
import type { fetchFiles as FetchFiles } from './fetch/fetch-files.ts';
import type { fetchSources as FetchSources } from './git/fetch-sources.ts';
import type { GitSourcesOptions } from './git/git-sources.ts';
import type { writeContext as WriteContext } from './context/write-context.ts';

// `ccp plan` imports this package for its records alone; the network, git and tar parts (60 ms of it) load when they are used.

/** `fetchFiles` of fetch/fetch-files.ts. */
export const fetchFiles: typeof FetchFiles = async (...given) => (await import('./fetch/fetch-files.ts')).fetchFiles(...given);

/** `fetchSources` of git/fetch-sources.ts. */
export const fetchSources: typeof FetchSources = async (...given) => (await import('./git/fetch-sources.ts')).fetchSources(...given);

/** `writeContext` of context/write-context.ts. */
export const writeContext: typeof WriteContext = async function* (...given) {
  yield* (await import('./context/write-context.ts')).writeContext(...given);
};

/** `openGitSources` of git/git-sources.ts. */
export function openGitSources(options: GitSourcesOptions): SourceFetcher {
  let opened: Promise<SourceFetcher> | undefined;
  const open = (): Promise<SourceFetcher> => (opened ??= import('./git/git-sources.ts').then((module) => module.openGitSources(options)));
  return {
    reachable: async (...given) => (await open()).reachable(...given),
    resolve: async (...given) => (await open()).resolve(...given),
    fetch: async (...given) => (await open()).fetch(...given),
    async *archive(source) {
      yield* (await open()).archive(source);
    },
  };
}

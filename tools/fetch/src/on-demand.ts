import type { SourceFetcher } from '#ports';
import type { fetchControls as FetchControls } from './debian/deb-control.ts';
import type { seedOf as SeedOf } from './debian/seed.ts';
import type { fetchFiles as FetchFiles } from './download/fetch-files.ts';
import type { fetchSources as FetchSources } from './git/fetch-sources.ts';
import type { GitSourcesOptions } from './git/git-sources.ts';

// `ccp plan` needs only this package's types; the network, git and tar code (60 ms) is loaded on
// first use.

/** `fetchFiles` of download/fetch-files.ts. */
export const fetchFiles: typeof FetchFiles = async (...given) =>
  (await import('./download/fetch-files.ts')).fetchFiles(...given);

/** `fetchSources` of git/fetch-sources.ts. */
export const fetchSources: typeof FetchSources = async (...given) =>
  (await import('./git/fetch-sources.ts')).fetchSources(...given);

/** `seedOf` of debian/seed.ts. */
export const seedOf: typeof SeedOf = async (...given) =>
  (await import('./debian/seed.ts')).seedOf(...given);

/** `fetchControls` of debian/deb-control.ts. */
export const fetchControls: typeof FetchControls = async (...given) =>
  (await import('./debian/deb-control.ts')).fetchControls(...given);

/** `openGitSources` of git/git-sources.ts. */
export function openGitSources(options: GitSourcesOptions): SourceFetcher {
  let opened: Promise<SourceFetcher> | undefined;
  const open = (): Promise<SourceFetcher> =>
    (opened ??= import('./git/git-sources.ts').then((module) => module.openGitSources(options)));
  return {
    reachable: async (...given) => (await open()).reachable(...given),
    resolve: async (...given) => (await open()).resolve(...given),
    fetch: async (...given) => (await open()).fetch(...given),
    async *archive(source) {
      yield* (await open()).archive(source);
    },
  };
}

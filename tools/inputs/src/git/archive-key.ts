import type { GitSource } from '#ports';

/** Under which key the cache keeps the tar of a commit: the commit is the identity, wherever it came from. */
export function gitArchiveKey({ commit, submodules }: GitSource): string {
  return ['git-archive 1', commit, ...[...submodules].sort()].join('\n');
}

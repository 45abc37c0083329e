import type { GitSource } from '#ports';

/** Cache key of a commit's tar: it depends on the commit, not on the URL. */
export function gitArchiveKey({ commit, submodules }: GitSource): string {
  return ['git-archive 1', commit, ...[...submodules].sort()].join('\n');
}

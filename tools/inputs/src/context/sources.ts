import type { Lock, LockedSource } from '#locks';
import type { GitSource } from '#ports';
import type { Sha256 } from '#core';
import type { LockedFile, Origin } from '../types.ts';

/**
 * What a source is to a fingerprint: `git:COMMIT`, with `+PATH` for every submodule taken along, or `archive:SHA256`. A source
 * without a published archive is taken from git whatever the origin.
 */
export function sourceIdentity(source: { readonly commit: string; readonly archive?: Sha256 }, submodules: readonly string[], origin: Origin): string {
  if (origin === 'archive' && source.archive !== undefined) return `archive:${source.archive}`;
  return ['git:' + source.commit, ...[...submodules].sort()].join('+');
}

/** A locked source as git has it. */
export function gitSourceOf(source: LockedSource): GitSource {
  return { url: source.repository, commit: source.commit, submodules: source.submodules };
}

/** True where this origin takes the source as its published archive. */
export function takesArchive(source: LockedSource, origin: Origin): boolean {
  return origin === 'archive' && source.archive !== undefined;
}

/** Sources of a lock that git must bring. */
export function lockedGitSources(lock: Lock, origin: Origin): GitSource[] {
  return Object.values(lock.sources).filter((source) => !takesArchive(source, origin)).map(gitSourceOf);
}

/** Files of a lock that the cache must hold, each once. */
export function lockedFilesOf(lock: Lock, origin: Origin): LockedFile[] {
  const files = new Map<Sha256, LockedFile>();
  for (const stage of Object.values(lock.debian)) {
    for (const { archive, pool, sha256, size } of stage) files.set(sha256, { kind: 'debian', archive, pool, sha256, size });
  }
  for (const { name, file, sha256, size } of [...lock.python.runtime, ...lock.python.build]) {
    files.set(sha256, { kind: 'python', project: name, file, sha256, size });
  }
  for (const source of Object.values(lock.sources)) {
    if (!takesArchive(source, origin) || source.archive === undefined) continue;
    const { name, file, sha256, size } = source.archive;
    files.set(sha256, { kind: 'python', project: name, file, sha256, size });
  }
  return [...files.values()];
}

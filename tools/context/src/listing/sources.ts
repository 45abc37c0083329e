import type { Sha256 } from '#core';
import { gitArchiveKey, seedKey, type LockedFile } from '#fetch/keys';
import { escapeGoPath } from '#formats';
import type { Lock, LockedSource } from '#locks';
import type { GitSource } from '#ports';
import type { SourceOrigin } from '../types.ts';

/** The stage whose packages form the first layer of a bootstrapped image. */
export const BOOTSTRAP_STAGE = 'bootstrap';

/**
 * The identity of a source in a fingerprint: `git:COMMIT`, with `+PATH` for every included
 * submodule, or `archive:SHA256`. Sources without a published archive always come from git.
 */
export function sourceIdentity(
  source: { readonly commit: string; readonly archive?: Sha256 },
  submodules: readonly string[],
  origin: SourceOrigin,
): string {
  if (origin === 'archive' && source.archive !== undefined) return `archive:${source.archive}`;
  return ['git:' + source.commit, ...[...submodules].sort()].join('+');
}

/** The git source of a locked source. */
export function gitSourceOf(source: LockedSource): GitSource {
  return { url: source.repository, commit: source.commit, submodules: source.submodules };
}

/** True if the source comes from its published archive. */
export function takesArchive(source: LockedSource, origin: SourceOrigin): boolean {
  return origin === 'archive' && source.archive !== undefined;
}

/** Sources of a lock that are fetched from git. */
export function lockedGitSources(lock: Lock, origin: SourceOrigin): GitSource[] {
  return Object.values(lock.sources)
    .filter((source) => !takesArchive(source, origin))
    .map(gitSourceOf);
}

/**
 * Cache keys of files derived from a lock, for both origins: trees of commits, and the seed of a
 * bootstrap.
 */
export function derivedKeysOf(lock: Lock): string[] {
  const seed = lock.debian[BOOTSTRAP_STAGE];
  return [
    ...Object.values(lock.sources).map((source) => gitArchiveKey(gitSourceOf(source))),
    ...(seed === undefined ? [] : [seedKey(seed.map(({ sha256 }) => sha256))]),
  ];
}

/** Files of a lock that must be in the cache, without duplicates. */
export function lockedFilesOf(lock: Lock, origin: SourceOrigin): LockedFile[] {
  const files = new Map<Sha256, LockedFile>();
  for (const stage of Object.values(lock.debian)) {
    for (const { archive, pool, sha256, size } of stage)
      files.set(sha256, { kind: 'debian', archive, pool, sha256, size });
  }
  for (const { name, file, sha256, size } of [...lock.python.runtime, ...lock.python.build]) {
    files.set(sha256, { kind: 'python', project: name, file, sha256, size });
  }
  for (const { name, version, kind, sha256, size } of lock.go?.files ?? []) {
    files.set(sha256, {
      kind: 'go',
      module: name,
      file: `${escapeGoPath(version)}.${kind}`,
      sha256,
      size,
    });
  }
  for (const { name, version, file, sha256, size } of lock.npm ?? [])
    files.set(sha256, { kind: 'npm', name, version, file, sha256, size });
  for (const source of Object.values(lock.sources)) {
    if (!takesArchive(source, origin) || source.archive === undefined) continue;
    const { name, file, sha256, size } = source.archive;
    files.set(sha256, { kind: 'python', project: name, file, sha256, size });
  }
  return [...files.values()];
}

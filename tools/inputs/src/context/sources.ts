import type { Lock, LockedSource } from '#locks';
import type { GitSource } from '#ports';
import { escapeGoPath, type Sha256 } from '#core';
import { seedKey } from '../debian/seed-key.ts';
import { gitArchiveKey } from '../git/archive-key.ts';
import type { LockedFile, Origin } from '../types.ts';

/** The stage whose packages a bootstrap unpacks from nothing. */
export const BOOTSTRAP = 'bootstrap';

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
  return Object.values(lock.sources)
    .filter((source) => !takesArchive(source, origin))
    .map(gitSourceOf);
}

/** Keys of what the cache derives from what a lock names, of both origins: trees of commits, and the seed of a bootstrap. */
export function derivedKeysOf(lock: Lock): string[] {
  const seed = lock.debian[BOOTSTRAP];
  return [
    ...Object.values(lock.sources).map((source) => gitArchiveKey(gitSourceOf(source))),
    ...(seed === undefined ? [] : [seedKey(seed.map(({ sha256 }) => sha256))]),
  ];
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
  for (const { name, version, kind, sha256, size } of lock.go?.files ?? []) {
    files.set(sha256, { kind: 'go', module: name, file: `${escapeGoPath(version)}.${kind}`, sha256, size });
  }
  for (const { name, version, file, sha256, size } of lock.npm ?? []) files.set(sha256, { kind: 'npm', name, version, file, sha256, size });
  for (const source of Object.values(lock.sources)) {
    if (!takesArchive(source, origin) || source.archive === undefined) continue;
    const { name, file, sha256, size } = source.archive;
    files.set(sha256, { kind: 'python', project: name, file, sha256, size });
  }
  return [...files.values()];
}

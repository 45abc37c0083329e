import { renderDockerfile } from '#context';
import { mapRecord, type ImageName } from '#core';
import { readLock, summarise, type Lock } from '#locks';
import type { ImageDetails } from '#plan';
import { definitionOf } from './inputs.ts';
import type { Project } from './project.ts';

/**
 * The values behind the hashes in an image's record, from its current template and lock. Throws the
 * errors of `renderDockerfile`.
 */
export function detailsOf(project: Project, image: ImageName): ImageDetails {
  const definition = definitionOf(project, image);
  return detailsFromLock(project, image, readLock(definition, project.series.name));
}

/**
 * The values behind the hashes in an image's record, from the given lock. Throws the errors of
 * `renderDockerfile`.
 */
export function detailsFromLock(project: Project, image: ImageName, lock: Lock): ImageDetails {
  const dockerfile = renderDockerfile({
    definition: definitionOf(project, image),
    series: project.series,
    summary: summarise(lock),
  });
  return { ...versionsIn(lock), dockerfile };
}

function versionsIn(lock: Lock): ImageDetails {
  const versions = (
    packages: readonly { readonly name: string; readonly version: string }[],
  ): Record<string, string> =>
    Object.fromEntries(packages.map(({ name, version }) => [name, version]));
  return {
    debian: mapRecord(lock.debian, versions),
    python: { runtime: versions(lock.python.runtime), build: versions(lock.python.build) },
    ...(lock.go === undefined
      ? {}
      : { go: { files: versions(lock.go.files.filter(({ kind }) => kind === 'zip')) } }),
    ...(lock.npm === undefined ? {} : { npm: { packages: npmVersions(lock.npm) } }),
    sources: mapRecord(lock.sources, ({ commit, version }) => ({ commit, version })),
  };
}

/** Versions by folder below node_modules. */
function npmVersions(packages: NonNullable<Lock['npm']>): Record<string, string> {
  return Object.fromEntries(
    packages.map(({ path, version }) => [path.replace(/^node_modules\//, ''), version]),
  );
}

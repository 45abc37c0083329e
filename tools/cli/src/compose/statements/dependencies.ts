import { lockedFilesOf, lockedGitSources } from '#context';
import { hexOf } from '#core';
import { lockedFileName } from '#fetch/keys';
import type { Lock } from '#locks';
import type { PlannedImage } from '#plan';
import { purlOf, type Dependency, type ImageSet } from '#release';

/**
 * All inputs of an image's build: locked files and sources, the files of its definition, the
 * rendered Dockerfile, and its parents in the set by digest.
 */
export function dependenciesOf(
  { record, parents }: Pick<PlannedImage, 'record' | 'parents'>,
  lock: Lock,
  origin: 'git' | 'archive',
  set: Pick<ImageSet, 'images'>,
): readonly Dependency[] {
  const hash = (sha256: string): Dependency['digest'] => ({ sha256 });
  const files = [...record.files, ...(record.tree ?? [])];
  return [
    { uri: 'ccp:dockerfile', name: 'Dockerfile', digest: hash(record.dockerfile) },
    ...files.flatMap((file): readonly Dependency[] =>
      file.type === 'file'
        ? [{ uri: `ccp:context/${file.path}`, name: file.path, digest: hash(file.sha256) }]
        : [],
    ),
    ...Object.entries(record.patches ?? {}).map(([path, sha256]) => ({
      uri: `ccp:patch/${path}`,
      name: path,
      digest: hash(sha256),
    })),
    ...lockedFilesOf(lock, origin).map((file) => ({
      uri: `ccp:${file.kind}/${lockedFileName(file)}`,
      name: lockedFileName(file),
      digest: hash(file.sha256),
    })),
    ...lockedGitSources(lock, origin).map(({ url, commit }) => ({
      uri: `git+${url}@${commit}`,
      digest: { gitCommit: commit },
    })),
    ...Object.entries(parents).flatMap(([role, name]): readonly Dependency[] => {
      const parent = set.images.find((each) => each.name === name);
      if (parent === undefined) return [];
      const { version, digest } = parent;
      return [
        {
          uri: purlOf('oci', name, `sha256:${hexOf(digest)}`, { tag: version }),
          name: role,
          digest: hash(hexOf(digest)),
        },
      ];
    }),
  ];
}

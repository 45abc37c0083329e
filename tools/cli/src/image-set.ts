import type { BuildPlan } from '#plan';
import { imageSetText, parseImageSet, type ImageSet, type ImageSetEntry } from '#release';
import type { StoredImage } from '#ports';
import { CcpError } from '#core';
import { readLock } from '#locks';
import { definitionOf } from './compose-inputs.ts';
import type { Project } from './compose.ts';
import { readIfThere, writeAtomically } from './state/files.ts';

/** The manifest of what a plan stands for, once every image of it is stored. */
export function imageSetOf(project: Project, plan: BuildPlan, stored: (image: BuildPlan['images'][number]) => StoredImage): ImageSet {
  const images = plan.images.map((planned): ImageSetEntry => {
    const { digest, size, compressedSize } = stored(planned);
    const definition = definitionOf(project, planned.image);
    const { sources } = readLock(definition, project.series.name);
    const { debian, python } = planned.record;
    return {
      name: planned.image,
      version: planned.version,
      fingerprint: planned.fingerprint,
      digest,
      size,
      compressedSize,
      shipped: definition.shipped,
      sources: Object.fromEntries(Object.entries(sources).map(([key, { repository, commit, version }]) => [key, { repository, commit, version }])),
      packages: { debian, python: { ...python } },
      parents: planned.parents,
    };
  });
  return { format: 1, series: plan.series, platform: plan.platform, images };
}

/** Keeps the set as the series' last one; resolves with its path. */
export function keepImageSet(project: Project, set: ImageSet): string {
  const path = project.paths.imageSet(set.series);
  writeAtomically(path, imageSetText(set));
  return path;
}

/** The set of the series' last complete build. Raises `image-set-missing` where there is none. */
export function lastImageSet(project: Project): ImageSet {
  const path = project.paths.imageSet(project.series.name);
  const text = readIfThere(path);
  if (text === undefined) {
    throw new CcpError({
      code: 'image-set-missing',
      message: `no image set of ${project.series.name} is built in this workspace`,
      hint: `run \`ccp build --series ${project.series.name}\`, or name a manifest with --set`,
    });
  }
  return parseImageSet(text, path);
}

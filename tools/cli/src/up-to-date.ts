import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Json } from '#core';
import { hasWork, type BuildPlan } from '#plan';
import { parseImageSet } from '#release';
import type { Project } from './compose.ts';
import { setOverrides } from './set-overrides.ts';
import { readIfThere } from './state/files.ts';

export interface UpToDate {
  readonly text: string;
  readonly images: Json;
  readonly imageSet: string;
}

/**
 * What to answer where a plan asks for nothing and the image set of the last build already names exactly its images and the series' overrides;
 * `undefined` where there is work, if only that of writing the set.
 */
export function upToDate(project: Project, plan: BuildPlan): UpToDate | undefined {
  if (plan.images.some(hasWork)) return undefined;
  const path = project.paths.imageSet(plan.series);
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  const set = parseImageSet(text, path);
  if (!isDeepStrictEqual(set.overrides, setOverrides(project.series).overrides)) return undefined;
  const kept = new Map(set.images.map((entry) => [entry.name, entry]));
  if (!plan.images.every(({ image, fingerprint, digest }) => kept.get(image)?.fingerprint === fingerprint && kept.get(image)?.digest === digest)) return undefined;
  return {
    text: `nothing to do: ${plan.images.length} images of ${plan.series} are built (${relative(project.root, path)})`,
    images: plan.images.map(({ image, version, digest }) => ({ image, version, outcome: 'reused', digest })),
    imageSet: relative(project.root, path),
  };
}

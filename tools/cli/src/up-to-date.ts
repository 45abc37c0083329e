import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { counted, type Json } from '#core';
import { hasWork, type BuildPlan, type PlannedImage } from '#plan';
import { planLocked, type Project } from './compose.ts';
import { earlierImageSet } from './image-set.ts';
import { setOverrides } from './set-overrides.ts';

export interface UpToDate {
  readonly text: string;
  readonly images: Json;
  readonly imageSet: string;
}

/**
 * What to answer where a plan asks for nothing and the image set of the last build names its images, the series' overrides, and
 * nothing that changed since; `undefined` where there is work, if only that of writing the set.
 */
export async function upToDate(project: Project, plan: BuildPlan): Promise<UpToDate | undefined> {
  if (plan.images.some(hasWork)) return undefined;
  const set = earlierImageSet(project);
  if (set === undefined || !isDeepStrictEqual(set.overrides, setOverrides(project.series).overrides)) return undefined;
  const named = new Map(set.images.map((entry) => [entry.name, entry]));
  const isNamed = ({ image, fingerprint, digest }: PlannedImage): boolean =>
    named.get(image)?.fingerprint === fingerprint && named.get(image)?.digest === digest;
  if (!plan.images.every(isNamed)) return undefined;
  if (named.size > plan.images.length) {
    const { images } = await planLocked(project);
    if (images.filter((image) => !hasWork(image) && isNamed(image)).length !== named.size) return undefined;
  }
  const path = relative(project.root, project.paths.imageSet(plan.series));
  return {
    text: `nothing to do: ${counted(plan.images.length, 'image')} of ${plan.series} ${plan.images.length === 1 ? 'is' : 'are'} built (${path})`,
    images: plan.images.map(({ image, version, digest }) => ({ image, version, outcome: 'reused', digest })),
    imageSet: path,
  };
}

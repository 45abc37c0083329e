import { relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { counted, type Json } from '#core';
import { hasWork, type BuildPlan, type PlannedImage } from '#plan';
import { earlierImageSet } from './image-set.ts';
import { planLocked } from './plan.ts';
import type { Project } from './project.ts';
import { setAppSpecs } from './set-app-specs.ts';
import { setOverrides } from './set-overrides.ts';

export interface UpToDate {
  readonly text: string;
  readonly images: Json;
  readonly imageSet: string;
}

/**
 * The result of a build without work: nothing is planned, and the last image set matches the
 * images, their app specs and the series' overrides. `undefined` if there is work, even if only the
 * set must be written.
 */
export async function upToDate(project: Project, plan: BuildPlan): Promise<UpToDate | undefined> {
  if (plan.images.some(hasWork)) return undefined;
  const set = earlierImageSet(project);
  if (
    set === undefined ||
    set.format === 1 ||
    !isDeepStrictEqual(set.overrides, setOverrides(project.series).overrides)
  )
    return undefined;
  const named = new Map(set.images.map((entry) => [entry.name, entry]));
  const isNamed = ({ image, fingerprint, digest }: PlannedImage): boolean =>
    named.get(image)?.fingerprint === fingerprint && named.get(image)?.digest === digest;
  if (!plan.images.every(isNamed)) return undefined;
  if (named.size > plan.images.length) {
    const { images } = planLocked(project);
    if (images.filter((image) => !hasWork(image) && isNamed(image)).length !== named.size)
      return undefined;
  }
  const apps = setAppSpecs(project, [...named.keys()]);
  if ([...named.values()].some(({ name, app }) => apps.get(name)?.digest !== app?.digest))
    return undefined;
  const path = relative(project.root, project.paths.imageSet(plan.series));
  return {
    text: `nothing to do: ${counted(plan.images.length, 'image')} of ${plan.series} ${plan.images.length === 1 ? 'is' : 'are'} built (${path})`,
    images: plan.images.map(({ image, version, digest }) => ({
      image,
      version,
      outcome: 'reused',
      digest,
    })),
    imageSet: path,
  };
}

import type { Site } from '#definitions';
import { readAppSpecsOf, readOverlayAppSpecs } from '#definitions/deploy';
import type { ImageSet } from '#release';
import { sourcesOf } from '#rollout';
import type { SiteInput } from '#site';

type PlanSources = ReturnType<typeof sourcesOf>;

/**
 * The files of the workspace that a plan is made from; app specs of the image set are not files.
 */
export function planSources(
  root: string,
  { site, appSpecs, imageSet }: SiteInput & { readonly imageSet: ImageSet },
): PlanSources {
  return sourcesOf(site, imageSet.format === 1 ? appSpecs : readOverlayAppSpecs(root, site));
}

/** The present state of the files that a plan was made from, and of new overlay files. */
export function currentSources(root: string, site: Site, approved: PlanSources): PlanSources {
  const now = sourcesOf(site, readOverlayAppSpecs(root, site));
  const known = new Set(Object.keys(now));
  // A plan with other files was made from an image set without app specs.
  return Object.keys(approved).every((file) => known.has(file))
    ? now
    : sourcesOf(site, readAppSpecsOf(root, site));
}

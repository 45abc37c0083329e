import { CcpError } from '#core';
import { parsePlan, type BuildPlan } from '#plan';
import type { CommandContext } from '../command.ts';
import { PLAN_HINT, readNamed } from '../state/named-file.ts';
import { removeLeftovers } from '../state/remove-leftovers.ts';
import { expiredLines } from './expired-lines.ts';
import { checkApps, openProject, planProject } from './plan.ts';
import { planRetest } from './plan-retest.ts';
import type { Project } from './project.ts';
import type { TrustFlags } from './registry-place.ts';
import { cacheFolder } from './settings.ts';

interface PlanToBuildFlags extends TrustFlags {
  readonly rebuild?: boolean;
  /** Also run tests that passed. */
  readonly retest?: boolean;
  /** Registry and path with images of trusted publishers. */
  readonly from?: string;
}

/**
 * The plan of `ccp build`: for the named images, or for those of a plan file, which must be
 * current. With `from`, published images are copied into the store first. Throws the errors of
 * planning and of the app specs, and `plan-stale`.
 */
export async function planToBuild(
  { root, output, flags }: CommandContext,
  names: readonly string[],
  { rebuild = false, retest = false, from, ...trust }: PlanToBuildFlags,
): Promise<{ readonly project: Project; readonly plan: BuildPlan }> {
  const file =
    names.length === 1 && (names[0] as string).endsWith('.json') ? (names[0] as string) : undefined;
  const kept = file === undefined ? undefined : parsePlan(readNamed(file, PLAN_HINT), file);
  const asked = flags.series;
  if (kept !== undefined && asked !== undefined && asked !== kept.series)
    throw new CcpError({
      code: 'usage',
      message: `${file} is a plan for series ${kept.series}, not ${asked}`,
    });
  const project = openProject(root, kept?.series ?? asked);
  for (const line of expiredLines(project.series)) output.warn(line);
  const images = kept?.images.map(({ image }) => image) ?? names;
  const makePlan = (): BuildPlan => planProject(project, images, 'all');
  let current = makePlan();
  if (from !== undefined && !rebuild) {
    const published = await import('./published-images.ts');
    const found = await published.publishedImages(project, current, from, trust);
    await published.fetchPublished(project, found, output);
    if (found.images.size > 0) current = makePlan();
  }
  if (retest) current = planRetest(project, images);
  await checkApps(project, current);
  if (kept !== undefined) refuseStalePlan(kept, current, file as string);
  removeLeftovers(project.paths, cacheFolder(project.settings));
  return { project, plan: rebuild ? rebuilt(current) : current };
}

/** The plan with every image built again, even if it is stored. */
function rebuilt(plan: BuildPlan): BuildPlan {
  return {
    ...plan,
    images: plan.images.map(({ digest: _, ...image }) => ({
      ...image,
      action: 'build',
      reasons: [{ kind: 'requested' }],
    })),
  };
}

/** Throws `plan-stale` if the fingerprint of an image differs from the plan. */
function refuseStalePlan(kept: BuildPlan, current: BuildPlan, file: string): void {
  const now = new Map(current.images.map(({ image, fingerprint }) => [image, fingerprint]));
  const moved = kept.images
    .filter(({ image, fingerprint }) => now.get(image) !== fingerprint)
    .map(({ image }) => image);
  if (kept.origin === current.origin && moved.length === 0) return;
  const why =
    moved.length === 0
      ? `sources come from ${current.origin} now`
      : `${moved.join(', ')} changed since`;
  throw new CcpError({
    code: 'plan-stale',
    message: `the plan ${file} is out of date: ${why}`,
    hint: 'see the changes with `ccp explain IMAGE --against FILE`, then make a new plan',
  });
}

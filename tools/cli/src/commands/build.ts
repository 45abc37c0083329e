import { CcpError } from '#core';
import { parsePlan, type BuildPlan } from '#plan';
import { wasKilled } from '#store';
import type { CommandContext } from '../command.ts';
import { expiredLines } from '../compose/expired-lines.ts';
import { checkApps, openProject, planProject } from '../compose/plan.ts';
import type { BuildFlags } from '../compose/run-build-command.ts';
import { cacheFolder } from '../compose/settings.ts';
import { upToDate } from '../compose/up-to-date.ts';
import { PLAN_HINT, readNamed } from '../state/named-file.ts';
import { removeLeftovers } from '../state/remove-leftovers.ts';

/** `ccp build`: builds images from their locks or a plan file, and writes the image set. */
export async function build(
  context: CommandContext,
  names: readonly string[],
  flags: BuildFlags,
): Promise<number> {
  const { root, output } = context;
  if (flags.all === true && names.length > 0)
    throw new CcpError({ code: 'usage', message: '--all cannot be used with image names' });
  if (flags.engine !== undefined) (await import('#engines')).checkEndpoints(flags.engine);
  const file =
    names.length === 1 && (names[0] as string).endsWith('.json') ? (names[0] as string) : undefined;
  const kept = file === undefined ? undefined : parsePlan(readNamed(file, PLAN_HINT), file);
  const asked = context.flags.series;
  if (kept !== undefined && asked !== undefined && asked !== kept.series)
    throw new CcpError({
      code: 'usage',
      message: `${file} is a plan for series ${kept.series}, not ${asked}`,
    });
  const project = openProject(root, kept?.series ?? asked);
  for (const line of expiredLines(project.series)) output.warn(line);
  const current = await planProject(
    project,
    kept?.images.map(({ image }) => image) ?? names,
    output.info,
    'all',
  );
  await checkApps(project, current);
  if (kept !== undefined) refuseStalePlan(kept, current, file as string);
  const plan = flags.rebuild === true ? rebuilt(current) : current;
  removeLeftovers(project.paths, cacheFolder(project.settings));
  const nothing = await upToDate(project, plan);
  if (nothing !== undefined) {
    if (wasKilled(project.paths.store)) {
      const { cleanKilledRun } = await import('../compose/clean-killed-run.ts');
      await cleanKilledRun(project, output);
    }
    output.result(nothing.text, { images: nothing.images, imageSet: nothing.imageSet });
    return 0;
  }
  const { runBuildCommand } = await import('../compose/run-build-command.ts');
  return runBuildCommand(project, plan, context, flags);
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

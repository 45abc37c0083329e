import { Option } from 'commander';
import { CcpError } from '#core';
import type { BuildPlan } from '#plan';
import type { CommandDefinition } from '../command.ts';
import type { BuildFlags } from '../compose/run-build-command.ts';
import { collect, count } from '../options.ts';

/** `ccp build`: builds images from their locks or a plan file, and writes the image set. */
export const build: CommandDefinition<BuildFlags> = {
  usage: 'build [images...]',
  description: 'build images from their lock files, or from a plan file',
  options: [
    new Option(
      '--engine <endpoint>',
      'container engine to build on (unix:// or tcp://); repeat it to spread the images over several engines',
    ).argParser(collect),
    new Option('-j, --jobs <number>', 'number of images to build in parallel').argParser(count),
    new Option('--no-cache', "build without the engine's build cache"),
    new Option('--rebuild', 'also build images that are already in the store'),
    new Option('--offline', 'use only cached inputs; fail if one is missing'),
    new Option('--all', 'build every image of the series (the default)'),
  ],
  examples: ['ccp build', 'ccp build keystone --series 2025.2', 'ccp build plan.json'],
  run: async (context, names, flags) => {
    const { parsePlan } = await import('#plan');
    const { wasKilled } = await import('#store');
    const { expiredLines } = await import('../compose/expired-lines.ts');
    const { checkApps, openProject, planProject } = await import('../compose/plan.ts');
    const { cacheFolder } = await import('../compose/settings.ts');
    const { upToDate } = await import('../compose/up-to-date.ts');
    const { PLAN_HINT, readNamed } = await import('../state/named-file.ts');
    const { removeLeftovers } = await import('../state/remove-leftovers.ts');
    const { root, output } = context;
    if (flags.all === true && names.length > 0)
      throw new CcpError({ code: 'usage', message: '--all cannot be used with image names' });
    if (flags.engine !== undefined) (await import('#engines')).checkEndpoints(flags.engine);
    const file =
      names.length === 1 && (names[0] as string).endsWith('.json')
        ? (names[0] as string)
        : undefined;
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
  },
};

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

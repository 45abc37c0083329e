import { CcpError } from '#core';
import { parsePlan, type BuildPlan } from '#plan';
import { checkApps, openProject, planProject } from '../compose.ts';
import { expiredLines } from '../expired-lines.ts';
import { MAKE_PLAN, readNamed } from '../named-file.ts';
import type { CommandContext } from '../program.ts';
import { upToDate } from '../up-to-date.ts';

export interface BuildFlags {
  readonly engine?: readonly string[];
  readonly jobs?: number;
  readonly cache: boolean;
  readonly rebuild?: boolean;
  readonly offline?: boolean;
  readonly all?: boolean;
}

/** `ccp build`: builds images from their locks, or what a plan file says, and writes the image set. */
export async function build(context: CommandContext, names: readonly string[], flags: BuildFlags): Promise<number> {
  const { root, output } = context;
  if (flags.all === true && names.length > 0) throw new CcpError({ code: 'usage', message: '--all and names of images exclude each other' });
  if (flags.engine !== undefined) (await import('#engines')).checkEndpoints(flags.engine);
  const file = names.length === 1 && /\.json$/.test(names[0] as string) ? (names[0] as string) : undefined;
  const kept = file === undefined ? undefined : parsePlan(readNamed(file, MAKE_PLAN), file);
  const asked = context.flags.series;
  if (kept !== undefined && asked !== undefined && asked !== kept.series)
    throw new CcpError({ code: 'usage', message: `${file} is a plan of ${kept.series}, not of ${asked}` });
  const project = openProject(root, kept?.series ?? asked);
  for (const line of expiredLines(project.series)) output.warn(line);
  const current = await planProject(project, kept?.images.map(({ image }) => image) ?? names, output.info, 'all');
  await checkApps(project, current);
  if (kept !== undefined) refuseStalePlan(kept, current, file as string);
  const plan = flags.rebuild === true ? rebuilt(current) : current;
  const nothing = await upToDate(project, plan);
  if (nothing !== undefined) {
    output.result(nothing.text, { images: nothing.images, imageSet: nothing.imageSet });
    return 0;
  }
  const { runBuildCommand } = await import('../run-build-command.ts');
  return runBuildCommand(project, plan, context, flags);
}

/** The plan with every image built again, whatever the store has. */
function rebuilt(plan: BuildPlan): BuildPlan {
  return { ...plan, images: plan.images.map(({ digest: _, ...image }) => ({ ...image, action: 'build', reasons: ['asked for'] })) };
}

/** Raises `plan-stale` where an image of the plan would now get another fingerprint. */
function refuseStalePlan(kept: BuildPlan, current: BuildPlan, file: string): void {
  const now = new Map(current.images.map(({ image, fingerprint }) => [image, fingerprint]));
  const moved = kept.images.filter(({ image, fingerprint }) => now.get(image) !== fingerprint).map(({ image }) => image);
  if (kept.origin === current.origin && moved.length === 0) return;
  const why = moved.length === 0 ? `sources come from ${current.origin} now` : `${moved.join(', ')} changed since`;
  throw new CcpError({
    code: 'plan-stale',
    message: `${file} no longer fits the repository: ${why}`,
    hint: 'look with `ccp explain IMAGE --against FILE`, then make the plan again',
  });
}

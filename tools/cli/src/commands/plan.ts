import { hasWork, planDocument, planText, reasonText, type BuildPlan } from '#plan';
import { shortLines } from '#core';
import type { CommandContext } from '../command.ts';
import { openProject, planProject } from '../compose/plan.ts';
import { writeNamed } from '../state/named-file.ts';

/** Reasons shown of an image. */
const SHOWN_REASONS = 3;

export interface PlanFlags {
  readonly output?: string;
}

/** `ccp plan`: shows which images must be built, and why. */
export async function plan(
  { root, output, flags }: CommandContext,
  names: readonly string[],
  { output: file }: PlanFlags,
): Promise<number> {
  const project = openProject(root, flags.series);
  const made = await planProject(project, names, output.info);
  if (made.images.some(({ action }) => action === 'build')) {
    const { ignoredFileLines } = await import('../compose/ignored-files.ts');
    for (const line of ignoredFileLines(project, made)) output.warn(line);
  }
  if (file !== undefined) {
    const { detailsOf } = await import('../compose/details.ts');
    const details = Object.fromEntries(
      made.images.map(({ image }) => [image, detailsOf(project, image)]),
    );
    writeNamed(file, planText({ ...made, details }));
    output.info(`plan written to ${file}`);
  }
  output.result(planSummary(made), planDocument(made));
  return 0;
}

/** The text of a plan: the origin, a line for each image, and the counts. */
function planSummary(plan: BuildPlan): string {
  const width = Math.max(...plan.images.map(({ image }) => image.length));
  const lines = plan.images.map(({ image, version, action, reasons, record }) => {
    const why =
      reasons.length === 0
        ? ''
        : `  ${shortLines(reasons.map(reasonText), SHOWN_REASONS).join('; ')}`;
    return `  ${image.padEnd(width)}  ${version}  ${action}${unlockedText(record)}${why}`;
  });
  const build = plan.images.filter(({ action }) => action === 'build').length;
  const test = plan.images.filter((image) => image.action === 'reuse' && hasWork(image)).length;
  const work = [
    ...(build === 0 ? [] : [`${build} to build`]),
    ...(test === 0 ? [] : [`${test} to test again`]),
  ];
  const end =
    work.length === 0
      ? 'nothing to do'
      : [...work, `${plan.images.length - build - test} up to date`].join(', ');
  return [
    `series ${plan.series}, ${plan.platform}, sources from ${plan.origin === 'git' ? 'git' : 'release archives'}`,
    ...lines,
    end,
  ].join('\n');
}

function unlockedText({ unlocked, network }: BuildPlan['images'][number]['record']): string {
  if (!unlocked) return '';
  return ` (unlocked: its steps have ${network === 'host' ? 'the network of the machine' : 'a network'})`;
}

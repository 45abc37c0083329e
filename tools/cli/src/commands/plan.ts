import { hasWork, planText, type BuildPlan } from '#plan';
import { openProject, planProject } from '../compose.ts';
import type { CommandContext } from '../program.ts';
import { writeNamed } from '../named-file.ts';

export interface PlanFlags {
  readonly output?: string;
}

/** `ccp plan`: what must be built, and why. */
export async function plan({ root, output, flags }: CommandContext, names: readonly string[], { output: file }: PlanFlags): Promise<number> {
  const project = openProject(root, flags.series);
  const made = await planProject(project, names, output.info);
  if (made.images.some(({ action }) => action === 'build')) {
    const { ignoredFileLines } = await import('../ignored-files.ts');
    for (const line of ignoredFileLines(project, made)) output.warn(line);
  }
  if (file !== undefined) {
    const { detailsOf } = await import('../details.ts');
    const details = Object.fromEntries(made.images.map(({ image }) => [image, detailsOf(project, image)]));
    writeNamed(file, planText({ ...made, details }));
    output.info(`plan written to ${file}`);
  }
  output.result(planSummary(made), made);
  return 0;
}

/** A plan for people: origin first, then an image a line, then what will happen. */
function planSummary(plan: BuildPlan): string {
  const width = Math.max(...plan.images.map(({ image }) => image.length));
  const lines = plan.images.map(({ image, version, action, reasons, record }) => {
    const why = reasons.length === 0 ? '' : `  ${reasons.slice(0, 3).join('; ')}${reasons.length > 3 ? `; and ${reasons.length - 3} more` : ''}`;
    return `  ${image.padEnd(width)}  ${version}  ${action}${record.unlocked ? ' (unlocked: its steps have a network)' : ''}${why}`;
  });
  const build = plan.images.filter(({ action }) => action === 'build').length;
  const test = plan.images.filter((image) => image.action === 'reuse' && hasWork(image)).length;
  const work = [...(build === 0 ? [] : [`${build} to build`]), ...(test === 0 ? [] : [`${test} to test again`])];
  const end = work.length === 0 ? 'nothing to do' : [...work, `${plan.images.length - build - test} as they are`].join(', ');
  return [`series ${plan.series}, ${plan.platform}, sources from ${plan.origin === 'git' ? 'git' : 'release archives'}`, ...lines, end].join('\n');
}

import { Option } from 'commander';
import type { CommandDefinition } from '../command.ts';

export interface PlanFlags {
  readonly output?: string;
}

/** `ccp plan`: shows which images must be built, and why. */
export const plan: CommandDefinition<PlanFlags> = {
  usage: 'plan [images...]',
  description: 'show which images must be built, and why; uses no engine and no network',
  options: [new Option('-o, --output <file>', 'write a plan file, for `ccp build FILE`')],
  examples: ['ccp plan', 'ccp plan keystone --json', 'ccp plan -o plan.json'],
  series: 'each',
  run: async ({ root, output, flags }, names, { output: file }) => {
    const { planDocument, planText } = await import('#plan');
    const { openProject, planProject } = await import('../compose/plan.ts');
    const { planSummary } = await import('../report/plan-summary.ts');
    const { writeNamed } = await import('../state/named-file.ts');
    const project = openProject(root, flags.series);
    const made = planProject(project, names);
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
  },
};

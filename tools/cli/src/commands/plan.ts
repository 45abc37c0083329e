import { Option } from 'commander';
import type { CommandDefinition } from '../command.ts';
import type { TrustFlags } from '../compose/registry-place.ts';
import { FROM, TRUST } from '../options.ts';

export interface PlanFlags extends TrustFlags {
  readonly output?: string;
  readonly from?: string;
}

/** `ccp plan`: shows which images must be built, and why. */
export const plan: CommandDefinition<PlanFlags> = {
  usage: 'plan [images...]',
  description:
    'show which images must be built, and why; uses no engine, and no network without --from',
  options: [
    new Option('-o, --output <file>', 'write a plan file, for `ccp build FILE`'),
    FROM,
    TRUST,
  ],
  examples: ['ccp plan', 'ccp plan keystone --json', 'ccp plan -o plan.json'],
  series: 'each',
  run: async ({ root, output, flags }, names, { output: file, from, ...trust }) => {
    const { planDocument, planText } = await import('#plan');
    const { openProject, planProject } = await import('../compose/plan.ts');
    const { planSummary } = await import('../report/plan-summary.ts');
    const { writeNamed } = await import('../state/named-file.ts');
    const project = openProject(root, flags.series);
    const made = planProject(project, names);
    if (made.images.some(({ action }) => action === 'build')) {
      const { checkoutWarnings } = await import('../compose/checkout-lines.ts');
      for (const line of checkoutWarnings(project, made.images)) output.warn(line);
    }
    if (file !== undefined) {
      const { detailsOf } = await import('../compose/details.ts');
      const details = Object.fromEntries(
        made.images.map(({ image }) => [image, detailsOf(project, image)]),
      );
      writeNamed(file, planText({ ...made, details }));
      output.info(`plan written to ${file}`);
    }
    if (from === undefined) {
      output.result(planSummary(made), planDocument(made));
      return 0;
    }
    const published = await import('../compose/published-images.ts');
    const { images } = await published.publishedImages(project, made, from, trust);
    output.result([planSummary(made), published.publishedLine(from, images)].join('\n'), {
      ...planDocument(made),
      published: published.publishedJson(images),
    });
    return 0;
  },
};

import { Option } from 'commander';
import { imageName, omitUndefined } from '#core';
import type { CommandDefinition } from '../command.ts';
import type { Failure } from '../state/failures.ts';

export interface ExplainFlags {
  readonly against?: string;
}

/**
 * `ccp explain IMAGE`: the inputs that differ from the last build, or from a plan file; in an
 * overlay, also the origins of its values.
 */
export const explain: CommandDefinition<ExplainFlags> = {
  usage: 'explain <image>',
  description: 'show the inputs of an image that changed since the last build or a plan file',
  options: [new Option('--against <file>', 'compare with this plan file')],
  examples: ['ccp explain keystone', 'ccp explain keystone --against plan.json'],
  series: 'each',
  run: async ({ root, output, flags }, [name = ''], { against }) => {
    const { explainImage, explanationText } = await import('#plan');
    const { detailsOf } = await import('../compose/details.ts');
    const { earlierImages, lastFailure } = await import('../compose/earlier-images.ts');
    const { definitionOf } = await import('../compose/inputs.ts');
    const { originLines, overlayOrigins } = await import('../compose/overlay-origins.ts');
    const { openProject, planProject } = await import('../compose/plan.ts');
    const project = openProject(root, flags.series);
    const plan = planProject(project, [name], 'all');
    const before = earlierImages(project, imageName(name), against);
    const explanation = explainImage(plan, imageName(name), before, (image) =>
      detailsOf(project, image),
    );
    const origins = overlayOrigins(definitionOf(project, imageName(name)), project.series);
    const failure = lastFailure(project, plan, imageName(name));
    const text = [
      explanationText(explanation),
      ...failureLines(failure),
      ...originLines(name, origins),
    ].join('\n');
    output.result(text, {
      ...explanation,
      ...omitUndefined({ failure }),
      ...(origins.length === 0 ? {} : { origins }),
    });
    return 0;
  },
};

function failureLines(failure: Failure | undefined): readonly string[] {
  if (failure === undefined) return [];
  const { message, log } = failure;
  return [
    `the last build failed: ${message.replaceAll('\n', '\n  ')}`,
    ...(log === undefined ? [] : [`  log: ${log}`]),
  ];
}

import { Option } from 'commander';
import { CcpError, omitUndefined } from '#core';
import type { CommandDefinition } from '../command.ts';

export interface DurationsFlags {
  readonly write?: boolean;
}

/**
 * `ccp durations`: the build time that the scheduler expects of each image; with `--write` it
 * commits them.
 */
export const durations: CommandDefinition<DurationsFlags> = {
  usage: 'durations [images...]',
  description:
    'show the expected build time of each image; builds start the longest chain of images first',
  options: [
    new Option(
      '--write',
      'write the times measured in this workspace to images/durations.json, for first builds elsewhere',
    ),
  ],
  examples: ['ccp durations', 'ccp durations --write --series all'],
  series: 'each',
  run: async ({ root, output, flags }, names, { write }) => {
    const { openProject, selection } = await import('../compose/plan.ts');
    const { commitDurations, imageDurations } = await import('../compose/durations.ts');
    const { durationsText } = await import('../report/durations-text.ts');
    if (write === true && names.length > 0)
      throw new CcpError({ code: 'usage', message: '--write cannot be used with image names' });
    const project = openProject(root, flags.series);
    const written = write === true ? await commitDurations(project) : undefined;
    const images = await imageDurations(project, selection(project, names));
    project.memo.save();
    output.result(durationsText(images, written), {
      series: project.series.name,
      images,
      ...omitUndefined({ written }),
    });
    return 0;
  },
};

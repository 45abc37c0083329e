import { CcpError, counted, throwFindings } from '#core';
import type { CommandDefinition } from '../command.ts';

/** `ccp validate`: everything about images that can be checked without an engine and a network. */
export const validate: CommandDefinition = {
  usage: 'validate [images...]',
  description:
    'check definitions, templates, files, locks and app specs, and that a clone gets the same fingerprints',
  examples: ['ccp validate', 'ccp validate keystone --series all'],
  series: 'each',
  run: async ({ root, output, flags }, names) => {
    const { checkoutLines } = await import('../compose/checkout-lines.ts');
    const { checkApps, openProject, planProject } = await import('../compose/plan.ts');
    const project = openProject(root, flags.series);
    const plan = planProject(project, names);
    await checkApps(project, plan);
    const lines = checkoutLines(project, plan.images);
    throwFindings(lines.map((message) => new CcpError({ code: 'context-invalid', message })));
    const images = plan.images.map(({ image }) => image);
    output.result(
      `series ${plan.series}, ${images.length === 1 ? '1 image is valid' : `${counted(images.length, 'image')} are valid`}`,
      { series: plan.series, images },
    );
    return 0;
  },
};

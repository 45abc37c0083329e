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
    const parents = names.length === 0 ? 0 : images.length - new Set(names).size;
    const valid = `${counted(images.length, 'image')} ${images.length === 1 ? 'is' : 'are'} valid`;
    output.result(
      `series ${plan.series}, ${valid}${parents > 0 ? `, including ${counted(parents, 'parent')}` : ''}`,
      { series: plan.series, images },
    );
    return 0;
  },
};

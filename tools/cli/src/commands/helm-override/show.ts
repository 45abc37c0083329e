import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { OPERATOR_CLUSTER } from '../../options.ts';

/** `ccp helm-override show NAME CHART`: the overrides of a chart, and the layer of each value. */
export const show: CommandDefinition<ClusterFlags> = {
  usage: 'show <name> <chart>',
  description: 'show the overrides of a chart by layer, and the layer of each value',
  options: OPERATOR_CLUSTER,
  examples: ['ccp helm-override show example keystone'],
  run: async (context, [name = '', chart = ''], flags) => {
    const { showOverrides } = await import('#application');
    const { overrideText } = await import('../../compose/application/override-text.ts');
    const { renderApplication } = await import('../../compose/application/render-application.ts');
    const { withApplications } = await import('../../compose/application/with-application.ts');
    return await withApplications(context, flags, async ({ cluster }) => {
      const found = await showOverrides(cluster, name, chart, renderApplication);
      context.output.result(overrideText(found), { application: name, ...found });
      return 0;
    });
  },
};

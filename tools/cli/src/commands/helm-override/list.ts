import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { OPERATOR_CLUSTER } from '../../options.ts';

/** `ccp helm-override list NAME`: the charts of an application that have overrides. */
export const list: CommandDefinition<ClusterFlags> = {
  usage: 'list <name>',
  description: 'list the charts of an application, and the layers that override them',
  options: OPERATOR_CLUSTER,
  examples: ['ccp helm-override list example'],
  run: async (context, [name = ''], flags) => {
    const { listOverrides } = await import('#application');
    const { renderApplication } = await import('../../compose/application/render-application.ts');
    const { withApplications } = await import('../../compose/application/with-application.ts');
    return await withApplications(context, flags, async ({ cluster }) => {
      const charts = (await listOverrides(cluster, name, renderApplication)).map(
        ({ chart, layers }) => ({ chart, layers: [...new Set(Object.values(layers))].sort() }),
      );
      context.output.result(
        charts.map(({ chart, layers }) => `${chart}: ${layers.join(', ') || 'none'}`).join('\n'),
        { application: name, charts },
      );
      return 0;
    });
  },
};

import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { OPERATOR_CLUSTER } from '../../options.ts';

/** `ccp helm-override delete NAME CHART`: deletes the user overrides of a chart. */
export const deleteCommand: CommandDefinition<ClusterFlags> = {
  usage: 'delete <name> <chart>',
  description: 'delete the user overrides of a chart',
  options: OPERATOR_CLUSTER,
  examples: ['ccp helm-override delete example keystone'],
  run: async (context, [name = '', chart = ''], flags) => {
    const { deleteOverrides } = await import('#application');
    const { overrideText } = await import('../../compose/application/override-text.ts');
    const { renderApplication } = await import('../../compose/application/render-application.ts');
    const { withApplications } = await import('../../compose/application/with-application.ts');
    return await withApplications(context, flags, async (engine) => {
      const found = await deleteOverrides(engine, name, chart, renderApplication);
      context.output.result(overrideText(found), { application: name, ...found });
      return 0;
    });
  },
};

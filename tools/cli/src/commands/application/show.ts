import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { OPERATOR_CLUSTER } from '../../options.ts';

/** `ccp application show NAME`: the state of an application and its reason. */
export const show: CommandDefinition<ClusterFlags> = {
  usage: 'show <name>',
  description: 'show the state of an application, its reason and the run that changes it',
  options: OPERATOR_CLUSTER,
  examples: ['ccp application show example'],
  run: async (context, [name = ''], flags) => {
    const { showApplication } = await import('#application');
    const { applicationJson, applicationLines } =
      await import('../../compose/application/application-text.ts');
    const { withApplications } = await import('../../compose/application/with-application.ts');
    return await withApplications(context, flags, async ({ cluster, clock }) => {
      const found = await showApplication(cluster, clock, name);
      context.output.result(applicationLines(found).join('\n'), applicationJson(found));
      return 0;
    });
  },
};

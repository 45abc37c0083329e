import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { OPERATOR_CLUSTER } from '../../options.ts';

/** `ccp application list`: all applications of a cluster. */
export const list: CommandDefinition<ClusterFlags> = {
  usage: 'list',
  description: 'list the applications of a cluster with their states',
  options: OPERATOR_CLUSTER,
  examples: ['ccp application list'],
  run: async (context, _, flags) => {
    const { listApplications } = await import('#application');
    const { applicationJson, applicationLine } =
      await import('../../compose/application/application-text.ts');
    const { withApplications } = await import('../../compose/application/with-application.ts');
    return await withApplications(context, flags, async ({ cluster, clock }) => {
      const applications = await listApplications(cluster, clock);
      context.output.result(
        applications.length === 0
          ? `${cluster.name} has no applications`
          : applications.map(applicationLine).join('\n'),
        { applications: applications.map(applicationJson) },
      );
      return 0;
    });
  },
};

import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { OPERATOR_CLUSTER } from '../../options.ts';

/** `ccp host-label remove HOST KEY...`: removes labels of a node. */
export const remove: CommandDefinition<ClusterFlags> = {
  usage: 'remove <host> <keys...>',
  description: 'remove labels of a host by key',
  options: OPERATOR_CLUSTER,
  examples: ['ccp host-label remove controller-0 openstack-control-plane'],
  run: async (context, [host = '', ...keys], flags) => {
    const { readApplications, removeLabels } = await import('#application');
    const { hostLines } = await import('../../compose/application/host-text.ts');
    const { withApplications } = await import('../../compose/application/with-application.ts');
    return await withApplications(context, flags, async ({ cluster }) => {
      const records = await readApplications(cluster);
      const changed = await removeLabels(cluster, host, keys, records);
      context.output.result(hostLines(changed).join('\n'), changed);
      return 0;
    });
  },
};

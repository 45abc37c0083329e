import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { OPERATOR_CLUSTER } from '../../options.ts';

/** `ccp host-label list HOST`: the labels of a node. */
export const list: CommandDefinition<ClusterFlags> = {
  usage: 'list <host>',
  description: 'list the labels of a host, and whether it is locked',
  options: OPERATOR_CLUSTER,
  examples: ['ccp host-label list controller-0'],
  run: async (context, [host = ''], flags) => {
    const { listLabels } = await import('#application');
    const { hostLines } = await import('../../compose/application/host-text.ts');
    const { withApplications } = await import('../../compose/application/with-application.ts');
    return await withApplications(context, flags, async ({ cluster }) => {
      const found = await listLabels(cluster, host);
      context.output.result(hostLines(found).join('\n'), found);
      return 0;
    });
  },
};

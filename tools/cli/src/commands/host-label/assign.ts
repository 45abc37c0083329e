import { Option } from 'commander';
import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { OPERATOR_CLUSTER } from '../../options.ts';

export interface AssignFlags extends ClusterFlags {
  readonly overwrite?: boolean;
}

/** `ccp host-label assign HOST KEY=VALUE...`: sets labels of a node. */
export const assign: CommandDefinition<AssignFlags> = {
  usage: 'assign <host> <labels...>',
  description: 'set labels of a host, like openstack-control-plane=enabled',
  options: [new Option('--overwrite', 'replace other values'), ...OPERATOR_CLUSTER],
  examples: ['ccp host-label assign controller-0 openstack-control-plane=enabled'],
  run: async (context, [host = '', ...labels], { overwrite = false, ...flags }) => {
    const { assignLabels, readApplications } = await import('#application');
    const { hostLines } = await import('../../compose/application/host-text.ts');
    const { withApplications } = await import('../../compose/application/with-application.ts');
    return await withApplications(context, flags, async ({ cluster }) => {
      const records = await readApplications(cluster);
      const changed = await assignLabels(cluster, host, labels, { overwrite, records });
      context.output.result(hostLines(changed).join('\n'), changed);
      return 0;
    });
  },
};

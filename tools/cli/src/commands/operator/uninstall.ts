import { CcpError, counted, omitUndefined } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { OPERATOR_CLUSTER, OPERATOR_NAMESPACE } from '../../options.ts';

export interface OperatorUninstallFlags extends ClusterFlags {
  readonly namespace: string;
}

/**
 * `ccp operator uninstall`: removes the operator, its rights and its kinds. Sites do not change.
 * Refused while resources exist: their finalizers would keep them forever.
 */
export const uninstall: CommandDefinition<OperatorUninstallFlags> = {
  usage: 'uninstall',
  description: 'remove the operator and its kinds; sites do not change',
  options: [OPERATOR_NAMESPACE, ...OPERATOR_CLUSTER],
  examples: ['ccp operator uninstall'],
  run: async ({ output }, _, { namespace, ...flags }) => {
    const { connectCluster } = await import('#engines');
    const { MANAGED_KINDS, removeOperator } = await import('#operator');
    const { cluster, close } = await connectCluster(omitUndefined(flags));
    try {
      const known = await cluster.kinds();
      const managed = MANAGED_KINDS.filter((wanted) =>
        known.some(
          ({ kind, apiVersion }) => kind === wanted.kind && apiVersion === wanted.apiVersion,
        ),
      );
      const lists = await Promise.all(managed.map((kind) => cluster.list(kind)));
      const left = lists.flatMap(({ items }) => items);
      if (left.length > 0)
        throw new CcpError({
          code: 'operator-in-use',
          message: `the operator still has ${counted(left.length, 'resource')}, like ${left[0]!.kind}/${left[0]!.metadata.name} in ${left[0]!.metadata.namespace}`,
          hint: 'delete them first; to keep a site, remove the finalizer of its resource',
        });
      const removed = await removeOperator(cluster, namespace);
      output.result(`${counted(removed, 'object')} of the operator removed from ${namespace}`, {
        namespace,
        objects: removed,
      });
      return 0;
    } finally {
      close();
    }
  },
};

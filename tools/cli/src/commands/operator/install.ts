import { CcpError, counted, omitUndefined } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import type { OperatorObjectFlags } from '../../compose/operator/install-options.ts';
import { OPERATOR_CLUSTER, OPERATOR_OBJECTS } from '../../options.ts';

export type OperatorInstallFlags = OperatorObjectFlags & ClusterFlags;

/** `ccp operator install SITES`: applies the objects of the operator to a cluster. */
export const install: CommandDefinition<OperatorInstallFlags> = {
  usage: 'install <sites...>',
  description: 'install or upgrade the operator, with rights in the namespaces of these sites',
  options: [...OPERATOR_OBJECTS, ...OPERATOR_CLUSTER],
  examples: ['ccp operator install example'],
  run: async (context, names, { kubeconfig, context: kubeContext, ...flags }) => {
    const { connectCluster } = await import('#engines');
    const { OPERATOR_NAME } = await import('#site');
    const { objectsOfOperator } = await import('../../compose/operator/install-options.ts');
    const objects = await objectsOfOperator(context, names, flags);
    const { cluster, close } = await connectCluster(
      omitUndefined({ kubeconfig, context: kubeContext }),
    );
    try {
      for (const object of objects) {
        const applied = await cluster.apply(object, { fieldManager: OPERATOR_NAME, force: true });
        if (applied.outcome !== 'applied')
          throw new CcpError({
            code: 'deploy-refused',
            message: `${object.kind}/${object.metadata.name} cannot be applied: ${applied.outcome === 'invalid' ? applied.message : applied.outcome}`,
          });
      }
    } finally {
      close();
    }
    context.output.result(
      `${counted(objects.length, 'object')} of the operator applied in ${flags.namespace}`,
      { namespace: flags.namespace, objects: objects.length },
    );
    return 0;
  },
};

import { CcpError, codeOf } from '#core';
import type { Cluster } from '#ports';
import { CONFIRM_DELETION, MANAGED_KINDS, type ManagedResource } from '#operator';
import type { SiteName } from '#rollout';

/**
 * Refuses a change of a site that the operator reconciles: it would apply its own release again. A
 * rollback needs no refusal, since the operator keeps the older revision. A paused resource, or one
 * that this account may not read, refuses nothing. Throws `deploy-managed`.
 */
export async function refuseManaged(
  cluster: Pick<Cluster, 'kinds' | 'get'>,
  { name, namespace }: SiteName,
  change: 'apply' | 'delete' = 'apply',
): Promise<void> {
  const known = await cluster.kinds();
  for (const wanted of MANAGED_KINDS) {
    const { apiVersion, kind } = wanted;
    if (!known.some((each) => each.kind === kind && each.apiVersion === apiVersion)) continue;
    const found = (await cluster.get({ ...wanted, name, namespace }).catch((thrown: unknown) => {
      if (codeOf(thrown) === 'cluster-denied') return undefined;
      throw thrown;
    })) as ManagedResource | undefined;
    if (found === undefined || found.spec.paused === true) continue;
    const resource = `${kind.toLowerCase()} ${name} --namespace ${namespace}`;
    throw new CcpError({
      code: 'deploy-managed',
      message: `the operator reconciles "${name}" from ${kind}/${name} in ${namespace}`,
      hint:
        change === 'delete'
          ? `delete the resource: kubectl annotate ${resource} ${CONFIRM_DELETION}=${name} && kubectl delete ${resource}; or set its spec.paused to true first`
          : `change the resource: kubectl edit ${resource}; or set its spec.paused to true first`,
    });
  }
}

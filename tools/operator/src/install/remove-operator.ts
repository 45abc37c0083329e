import type { Cluster, KindRef } from '#ports';
import { OPERATOR_LABELS } from '#site';

const RBAC = 'rbac.authorization.k8s.io/v1';
const OF_CLUSTER: readonly KindRef[] = [
  { apiVersion: RBAC, kind: 'ClusterRoleBinding' },
  { apiVersion: RBAC, kind: 'ClusterRole' },
  { apiVersion: RBAC, kind: 'RoleBinding' },
  { apiVersion: RBAC, kind: 'Role' },
  { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
];

/** Objects of every operator. */
const OWN = Object.entries(OPERATOR_LABELS)
  .map(([name, value]) => `${name}=${value}`)
  .join(',');

/**
 * Deletes the operator's namespace, rights and definitions; resolves with the number of objects.
 * Namespaces of sites stay.
 */
export async function removeOperator(cluster: Cluster, namespace: string): Promise<number> {
  let removed = 0;
  const own = { apiVersion: 'v1', kind: 'Namespace', name: namespace };
  const found = await cluster.list({ apiVersion: 'v1', kind: 'Namespace' }, { labelSelector: OWN });
  if (found.items.some(({ metadata }) => metadata.name === namespace)) {
    await cluster.delete(own);
    removed += 1;
  }
  for (const kind of OF_CLUSTER) {
    const { items } = await cluster.list(kind, { labelSelector: OWN });
    for (const { metadata } of items) {
      const { name, namespace: inside } = metadata;
      await cluster.delete({
        ...kind,
        name,
        ...(inside === undefined ? {} : { namespace: inside }),
      });
      removed += 1;
    }
  }
  return removed;
}

import type { Bound } from '../model/bound.ts';
import { usesNodeNetwork } from '../model/workload-ports.ts';

/**
 * Names of instances that connect to other instances from the network of their nodes, while the
 * site does not list the addresses of its nodes. On several nodes, most networks then refuse these
 * connections.
 */
export function instancesOfUnnamedNodes({
  site,
  instances,
}: Pick<Bound, 'site' | 'instances'>): string[] {
  if (site.cluster.nodes !== undefined) return [];
  return [...instances.values()]
    .filter((instance) => usesNodeNetwork(instance) && instance.bindings.size > 0)
    .map(({ name }) => name);
}

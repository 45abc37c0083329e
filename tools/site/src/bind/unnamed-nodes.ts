import type { SiteInput } from '../model/types.ts';
import { usesNodeNetwork } from '../model/workload-ports.ts';
import { bindInstances } from './instances.ts';

/**
 * Names of instances that reach others of the site from their node's network, where the site does not say from which addresses: on a
 * cluster of several nodes most networks then hold their policies against them. Empty where `cluster.nodes` names addresses.
 */
export function instancesOfUnnamedNodes(input: SiteInput): string[] {
  if (input.site.cluster.nodes !== undefined) return [];
  return [...bindInstances(input).instances.values()]
    .filter((instance) => usesNodeNetwork(instance) && instance.bindings.size > 0)
    .map(({ name }) => name);
}

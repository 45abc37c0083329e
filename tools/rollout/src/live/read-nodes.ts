import type { Cluster, LiveObject } from '#ports';
import { unlessHidden } from './unless-hidden.ts';

/**
 * The nodes of the cluster; none if this account may not list them. A cluster without nodes is
 * expected to create them on demand.
 */
export async function readNodes(cluster: Cluster): Promise<readonly LiveObject[]> {
  const found = await unlessHidden(() => cluster.list({ apiVersion: 'v1', kind: 'Node' }));
  return found === 'hidden' ? [] : found.items;
}

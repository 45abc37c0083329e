import type { Cluster, KindRef, LiveObject } from '#ports';
import { assess } from '../wait/assess.ts';
import { ownedObjects } from '../wait/owned-objects.ts';
import { podsOfWorkload } from '../wait/pods-of-workload.ts';
import type { SiteWatch } from '../wait/site-watch.ts';

/** The kinds that steps of every site wait for. */
export const WORKLOADS: readonly KindRef[] = [
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet' },
  { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  { apiVersion: 'batch/v1', kind: 'Job' },
];
const INSTANCE = 'app.kubernetes.io/instance';

/** The workloads of a namespace, read once. */
export interface ReadWorkloads extends Pick<SiteWatch, 'object' | 'podsOf'> {
  /** All that was read of workloads and of the given kinds, with their managed fields. */
  readonly listed: readonly LiveObject[];
}

/**
 * Reads the workloads of a namespace and the objects of the given kinds once. Pods are listed only
 * for instances with a workload that is not done: thousands of healthy pods cost nothing.
 */
export async function readWorkloads(
  cluster: Cluster,
  namespace: string,
  kinds: readonly KindRef[] = [],
): Promise<ReadWorkloads> {
  const objects = ownedObjects();
  const listed = async (wanted: readonly KindRef[]): Promise<LiveObject[]> =>
    (
      await Promise.all(wanted.map(async (kind) => (await cluster.list(kind, { namespace })).items))
    ).flat();
  const [workloads, others] = await Promise.all([listed(WORKLOADS), listed(kinds)]);
  [...workloads, ...others].forEach(objects.put);
  const unwell = workloads
    .filter((object) => assess(object).state !== 'done')
    .map(({ metadata }) => metadata.labels?.[INSTANCE]);
  if (unwell.length > 0) {
    const selection = unwell.includes(undefined)
      ? {}
      : { labelSelector: `${INSTANCE} in (${[...new Set(unwell)].join(',')})` };
    const [sets, pods] = await Promise.all([
      cluster.list({ apiVersion: 'apps/v1', kind: 'ReplicaSet' }, { namespace }),
      cluster.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace, ...selection }),
    ]);
    [...sets.items, ...pods.items].forEach(objects.put);
  }
  return {
    object: objects.get,
    podsOf: (workload, which) => podsOfWorkload(objects, workload, which),
    listed: [...workloads, ...others],
  };
}

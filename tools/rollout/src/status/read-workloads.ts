import { omitUndefined } from '#core';
import type { Cluster, KindRef, LiveObject } from '#ports';
import type { Home } from '#site';
import { unlessHidden } from '../live/unless-hidden.ts';
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

/** The workloads of a site's namespaces, read once. */
export interface ReadWorkloads extends Pick<SiteWatch, 'object' | 'podsOf'> {
  /** All that was read of workloads and of the given kinds, with their managed fields. */
  readonly listed: readonly LiveObject[];
  /** The given kinds that this account may not read. */
  readonly unread: ReadonlySet<string>;
}

/**
 * Reads the workloads of namespaces and the objects of the given kinds once. Pods are listed only
 * for instances with a workload that is not done: thousands of healthy pods cost nothing.
 */
export async function readWorkloads(
  cluster: Cluster,
  home: Home,
  namespaces: readonly string[],
  kinds: readonly KindRef[] = [],
): Promise<ReadWorkloads> {
  const objects = ownedObjects(home);
  const unread = new Set<string>();
  const itemsOf = async (kind: KindRef, labelSelector?: string): Promise<readonly LiveObject[]> => {
    const lists = await Promise.all(
      namespaces.map((namespace) =>
        cluster.list(kind, { namespace, ...omitUndefined({ labelSelector }) }),
      ),
    );
    return lists.flatMap(({ items }) => items);
  };
  const itemsUnlessHidden = async (kind: KindRef): Promise<readonly LiveObject[]> => {
    const items = await unlessHidden(() => itemsOf(kind));
    if (items !== 'hidden') return items;
    unread.add(kind.kind);
    return [];
  };
  const [workloads, others] = (
    await Promise.all([
      Promise.all(WORKLOADS.map((kind) => itemsOf(kind))),
      Promise.all(kinds.map(itemsUnlessHidden)),
    ])
  ).map((lists) => lists.flat()) as [LiveObject[], LiveObject[]];
  [...workloads, ...others].forEach(objects.put);
  const unwell = workloads
    .filter((object) => assess(object).state !== 'done')
    .map(({ metadata }) => metadata.labels?.[INSTANCE]);
  if (unwell.length > 0) {
    const selector = unwell.includes(undefined)
      ? undefined
      : `${INSTANCE} in (${[...new Set(unwell)].join(',')})`;
    const [sets, pods] = await Promise.all([
      itemsOf({ apiVersion: 'apps/v1', kind: 'ReplicaSet' }),
      itemsOf({ apiVersion: 'v1', kind: 'Pod' }, selector),
    ]);
    [...sets, ...pods].forEach(objects.put);
  }
  return {
    object: objects.get,
    podsOf: (workload, which) => podsOfWorkload(objects, workload, which),
    listed: [...workloads, ...others],
    unread,
  };
}

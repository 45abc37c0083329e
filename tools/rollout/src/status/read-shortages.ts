import type { Cluster } from '#ports';
import { keyOf, podsOf, type ObjectKey, type RenderedSite, type Step } from '#site';
import { readNodes } from '../live/read-nodes.ts';
import { replicasIn } from '../live/replicas-in.ts';
import { hasRequiredSpread, nodeShortages } from '../plan/check-nodes.ts';
import type { Pod } from '../wait/pod.ts';
import type { SiteWatch } from '../wait/site-watch.ts';

const INSTANCE = 'app.kubernetes.io/instance';
const COMPONENT = 'app.kubernetes.io/component';

/**
 * Workloads that run with too few nodes, in the words of a plan: a DaemonSet without any node, and
 * members that share a node. Nodes are only listed if there is such a workload.
 */
export async function readShortages(
  cluster: Cluster,
  namespace: string,
  rendered: RenderedSite,
  watch: Pick<SiteWatch, 'object'>,
): Promise<readonly string[]> {
  const suspects = new Set([
    ...rendered.steps.flatMap((step) => daemonsWithoutNodes(step, watch)),
    ...(await sharingNodes(cluster, namespace, rendered)),
  ]);
  if (suspects.size === 0) return [];
  return nodeShortages(rendered, await readNodes(cluster))
    .filter(({ key }) => suspects.has(key))
    .map(({ text }) => text);
}

function daemonsWithoutNodes(
  { objects, leftOver }: Step,
  { object }: Pick<SiteWatch, 'object'>,
): ObjectKey[] {
  if (leftOver === true) return [];
  return objects
    .filter(({ kind }) => kind === 'DaemonSet')
    .map(keyOf)
    .filter((key) => {
      const status = object(key)?.['status'] as { desiredNumberScheduled?: number } | undefined;
      return status?.desiredNumberScheduled === 0;
    });
}

/** Workloads whose pods must not share a node and do: one node alone satisfies every spread. */
async function sharingNodes(
  cluster: Cluster,
  namespace: string,
  { steps }: RenderedSite,
): Promise<ObjectKey[]> {
  const spread = podsOf(steps.flatMap(({ objects }) => objects))
    .filter(({ object, pod }) => hasRequiredSpread(pod) && (replicasIn(object) ?? 1) > 1)
    .map(({ object }) => object);
  if (spread.length === 0) return [];
  const among = (label: string): string =>
    `${label} in (${[...new Set(spread.map(({ metadata }) => metadata.labels?.[label]))].join(',')})`;
  const { items } = await cluster.list(
    { apiVersion: 'v1', kind: 'Pod' },
    { namespace, labelSelector: `${among(INSTANCE)},${among(COMPONENT)}` },
  );
  return spread
    .filter(({ metadata: { labels = {} } }) => {
      const nodes = (items as readonly Pod[])
        .filter(
          (pod) =>
            pod.metadata.deletionTimestamp === undefined &&
            [INSTANCE, COMPONENT].every((label) => pod.metadata.labels?.[label] === labels[label]),
        )
        .flatMap(({ spec }) => spec.nodeName ?? []);
      return new Set(nodes).size < nodes.length;
    })
    .map(keyOf);
}

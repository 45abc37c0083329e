import type { Cluster, KubernetesObject } from '#ports';
import { keyOf, podsOf, type Home, type ObjectKey, type RenderedSite, type Step } from '#site';
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
  home: Home,
  rendered: RenderedSite,
  watch: Pick<SiteWatch, 'object'>,
  pods: readonly Pod[],
): Promise<readonly string[]> {
  const suspects = new Set([
    ...rendered.steps.flatMap((step) => daemonsWithoutNodes(step, watch, home)),
    ...sharingNodes(rendered, pods, home),
  ]);
  if (suspects.size === 0) return [];
  return nodeShortages(rendered, await readNodes(cluster), home)
    .filter(({ key }) => suspects.has(key))
    .map(({ text }) => text);
}

function daemonsWithoutNodes(
  { objects, leftOver }: Step,
  { object }: Pick<SiteWatch, 'object'>,
  home: Home,
): ObjectKey[] {
  if (leftOver === true) return [];
  return objects
    .filter(({ kind }) => kind === 'DaemonSet')
    .map((each) => keyOf(each, home))
    .filter((key) => {
      const status = object(key)?.['status'] as { desiredNumberScheduled?: number } | undefined;
      return status?.desiredNumberScheduled === 0;
    });
}

/** Pods of the workloads whose pods must not share a node. */
export async function readSpreadPods(
  cluster: Cluster,
  rendered: RenderedSite,
): Promise<readonly Pod[]> {
  const spread = spreadWorkloads(rendered);
  if (spread.length === 0) return [];
  const among = (label: string): string =>
    `${label} in (${[...new Set(spread.map(({ metadata }) => metadata.labels?.[label]))].join(',')})`;
  const namespaces = new Set(spread.map(({ metadata }) => metadata.namespace ?? ''));
  const lists = await Promise.all(
    [...namespaces].map((namespace) =>
      cluster.list(
        { apiVersion: 'v1', kind: 'Pod' },
        { namespace, labelSelector: `${among(INSTANCE)},${among(COMPONENT)}` },
      ),
    ),
  );
  return lists.flatMap(({ items }) => items as readonly Pod[]);
}

function spreadWorkloads({ steps }: RenderedSite): readonly KubernetesObject[] {
  return podsOf(steps.flatMap(({ objects }) => objects))
    .filter(({ object, pod }) => hasRequiredSpread(pod) && (replicasIn(object) ?? 1) > 1)
    .map(({ object }) => object);
}

/** Workloads whose pods must not share a node and do: one node alone satisfies every spread. */
function sharingNodes(rendered: RenderedSite, pods: readonly Pod[], home: Home): ObjectKey[] {
  return spreadWorkloads(rendered)
    .filter(({ metadata: { labels = {} } }) => {
      const nodes = pods
        .filter(
          (pod) =>
            pod.metadata.deletionTimestamp === undefined &&
            [INSTANCE, COMPONENT].every((label) => pod.metadata.labels?.[label] === labels[label]),
        )
        .flatMap(({ spec }) => spec.nodeName ?? []);
      return new Set(nodes).size < nodes.length;
    })
    .map((object) => keyOf(object, home));
}

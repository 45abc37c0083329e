import type { Cluster, KindRef, KubernetesObject, LiveObject } from '#ports';
import { applySetId, type RenderedSite } from '#site';
import type { SiteName } from '../session/site-name.ts';
import { isForeignNamespace } from './namespace-owner.ts';
import { ENFORCE, isLaxer } from './pod-security.ts';

const PART_OF = 'applyset.kubernetes.io/part-of';
const OF_PODS: readonly KindRef[] = [
  { apiVersion: 'apps/v1', kind: 'DaemonSet' },
  { apiVersion: 'apps/v1', kind: 'Deployment' },
  { apiVersion: 'apps/v1', kind: 'StatefulSet' },
];

/** The namespaces that exist, each once; the site's own one is known to exist. */
export async function existing(
  cluster: Cluster,
  site: SiteName,
  namespaces: Iterable<string>,
): Promise<readonly string[]> {
  const found = await Promise.all(
    [...new Set(namespaces)].map(async (name) =>
      name === site.namespace ||
      (await cluster.get({ apiVersion: 'v1', kind: 'Namespace', name })) !== undefined
        ? [name]
        : [],
    ),
  );
  return found.flat();
}

/** The rendered namespaces that someone else created. */
export async function foreignNamespaces(
  cluster: Cluster,
  rendered: readonly KubernetesObject[],
): Promise<readonly LiveObject[]> {
  const found = await Promise.all(
    rendered
      .filter(({ kind }) => kind === 'Namespace')
      .map(({ metadata: { name } }) => cluster.get({ apiVersion: 'v1', kind: 'Namespace', name })),
  );
  return found.filter((live) => live !== undefined).filter(isForeignNamespace);
}

/**
 * Whether another site has workloads in the site's namespace, as a site has agents in the namespace
 * of another one. Asked only if the namespace would get a stricter pod security level.
 */
export async function hasOthersAgents(
  cluster: Cluster,
  site: SiteName,
  namespace: LiveObject,
  { foundation }: RenderedSite,
): Promise<boolean> {
  const rendered = foundation.find(
    ({ kind, metadata }) => kind === 'Namespace' && metadata.name === site.namespace,
  );
  const [own, level] = [rendered, namespace].map((object) => object?.metadata.labels?.[ENFORCE]);
  if (own === undefined || level === undefined || !isLaxer(level, own)) return false;
  const lists = await Promise.all(
    OF_PODS.map((kind) =>
      cluster.list(kind, {
        namespace: site.namespace,
        labelSelector: `${PART_OF},${PART_OF}!=${applySetId(site)}`,
      }),
    ),
  );
  return lists.some(({ items }) => items.length > 0);
}

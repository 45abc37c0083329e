import { CcpError, nearest, throwFindings } from '#core';
import { asKind, type Cluster, type KubernetesObject, type LiveObject } from '#ports';
import { podsOf, type RenderedSite, type Site } from '#site';
import { unlessHidden } from './unless-hidden.ts';

const STORAGE_CLASS = { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass' };
const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

/**
 * Throws `deploy-storage-missing` for each storage class that the site names and the cluster does
 * not have, and if claims name no class and none is the default: such claims wait forever. Checks
 * nothing if this account may not list the classes.
 */
export async function checkStorage(
  cluster: Cluster,
  site: Site,
  rendered: RenderedSite,
): Promise<void> {
  const classes = await unlessHidden(async () => (await cluster.list(STORAGE_CLASS)).items);
  if (classes === 'hidden') return;
  throwFindings([
    ...unknownClasses(cluster, site, classes),
    ...withoutDefault(cluster, site, rendered, classes),
  ]);
}

function unknownClasses(cluster: Cluster, site: Site, classes: readonly LiveObject[]): CcpError[] {
  const names = classes.map(({ metadata }) => metadata.name);
  return Object.entries(site.storage).flatMap(([storage, name]) => {
    if (names.includes(name)) return [];
    const meant = nearest(name, names);
    const hint =
      meant === undefined ? `it has ${names.join(', ') || 'none'}` : `did you mean "${meant}"?`;
    return [
      finding(
        `${cluster.name} has no ${STORAGE_CLASS.kind}/${name}`,
        site,
        ['storage', storage],
        hint,
      ),
    ];
  });
}

function withoutDefault(
  cluster: Cluster,
  site: Site,
  rendered: RenderedSite,
  classes: readonly LiveObject[],
): CcpError[] {
  if (classes.some(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS] === 'true')) return [];
  const sets = podsOf(rendered.steps.flatMap(({ objects }) => objects))
    .filter(({ object }) => hasUnclassed(object))
    .map(({ object }) => object.metadata.name);
  if (sets.length === 0) return [];
  return [
    finding(
      `${cluster.name} has no default StorageClass, and the site sets none for the claims of ${sets.join(', ')}`,
      site,
      ['storage'],
      `set storage.default; the cluster has ${classes.map(({ metadata }) => metadata.name).join(', ') || 'none'}`,
    ),
  ];
}

function hasUnclassed(object: KubernetesObject): boolean {
  const { volumeClaimTemplates = [] } = asKind('Workload', object).spec ?? {};
  return volumeClaimTemplates.some(({ spec }) => spec.storageClassName === undefined);
}

function finding(message: string, site: Site, path: readonly string[], hint: string): CcpError {
  return new CcpError({ code: 'deploy-storage-missing', message, hint, at: site.position(path) });
}

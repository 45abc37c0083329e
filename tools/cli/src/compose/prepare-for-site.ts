import { FOLDER_PROVISIONER, NODE_NAME } from '#cluster';
import type { Site } from '#definitions';
import type { Cluster, KubernetesObject } from '#ports';

/**
 * Prepares a single-node cluster for a site: labels the node with every role and creates its
 * storage classes. Keeps objects of other sites.
 */
export async function prepareForSite(cluster: Cluster, site: Site): Promise<void> {
  const selectors = Object.values(site.roles).flatMap(([first]) => first ?? []);
  const labels = Object.fromEntries(
    selectors.map((selector) => {
      const [key, value = ''] = selector.split('=', 2) as [string, string?];
      return [key, value];
    }),
  );
  const classes = [...new Set(Object.values(site.storage))].map((name): KubernetesObject => ({
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: FOLDER_PROVISIONER,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  }));
  for (const object of [
    { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE_NAME, labels } },
    ...classes,
  ]) {
    await cluster.apply(object, { fieldManager: `ccp-up-${site.name}`, force: true });
  }
}

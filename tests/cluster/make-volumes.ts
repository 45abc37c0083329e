import type { Cluster } from '#ports';

/** Makes storage classes and for each so many volumes of 100 Gi, which bind at once: the test cluster has no provisioner. */
export async function makeVolumes(cluster: Cluster, classes: readonly string[], each: number): Promise<void> {
  for (const name of classes) {
    await cluster.apply(
      { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name }, provisioner: 'kubernetes.io/no-provisioner' },
      { fieldManager: 'test-cluster' },
    );
    for (let index = 0; index < each; index++) {
      const spec = { storageClassName: name, capacity: { storage: '100Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: `/volumes/${name}-${index}` } };
      await cluster.apply({ apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: `${name}-${index}` }, spec }, { fieldManager: 'test-cluster' });
    }
  }
}

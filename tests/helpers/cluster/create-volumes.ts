import type { Cluster } from '#ports';

/**
 * Creates storage classes and volumes of 100 Gi for each, which bind immediately: the test cluster
 * has no provisioner.
 */
export async function createVolumes(
  cluster: Cluster,
  classes: readonly string[],
  each: number,
): Promise<void> {
  for (const name of classes) {
    await cluster.apply(
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name },
        provisioner: 'kubernetes.io/no-provisioner',
      },
      { fieldManager: 'test-cluster' },
    );
    for (let index = 0; index < each; index++) {
      const spec = {
        storageClassName: name,
        capacity: { storage: '100Gi' },
        accessModes: ['ReadWriteOnce'],
        hostPath: { path: `/volumes/${name}-${index}` },
      };
      await cluster.apply(
        {
          apiVersion: 'v1',
          kind: 'PersistentVolume',
          metadata: { name: `${name}-${index}` },
          spec,
        },
        { fieldManager: 'test-cluster' },
      );
    }
  }
}

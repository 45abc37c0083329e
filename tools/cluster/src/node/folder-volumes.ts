import { omitUndefined } from '#core';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster, LiveObject, WatchEvent } from '#ports';
import { NODE_NAME } from './node-names.ts';

/** Provisioner name of storage classes whose volumes are folders on the node. */
export const FOLDER_PROVISIONER = 'ccp.local/folder';

const MANAGER = 'ccp-volumes';

interface ClaimSpec {
  readonly storageClassName?: string;
  readonly volumeName?: string;
  readonly accessModes: readonly string[];
  readonly resources: { readonly requests: { readonly storage: string } };
}

/**
 * Creates a volume in a folder below `folder` for each claim with our provisioner, and removes the
 * folder after the claim is deleted. Runs until `signal` aborts.
 */
export async function provideFolderVolumes(
  cluster: Cluster,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  await Promise.all([provide(cluster, folder, signal), remove(cluster, folder, signal)]);
}

async function provide(cluster: Cluster, folder: string, signal: AbortSignal): Promise<void> {
  for await (const event of cluster.watch(
    { apiVersion: 'v1', kind: 'PersistentVolumeClaim' },
    { signal },
  )) {
    for (const claim of objectsOf(event))
      if (
        claim.metadata.annotations?.['volume.kubernetes.io/storage-provisioner'] ===
        FOLDER_PROVISIONER
      )
        await provideOne(cluster, folder, claim);
  }
}

async function provideOne(cluster: Cluster, folder: string, claim: LiveObject): Promise<void> {
  const { storageClassName, volumeName, accessModes, resources } = claim['spec'] as ClaimSpec;
  if (volumeName !== undefined || claim.metadata.deletionTimestamp !== undefined) return;
  const { namespace = '', name, uid } = claim.metadata;
  const path = join(folder, `${namespace}-${name}-${uid}`);
  mkdirSync(path, { recursive: true, mode: 0o777 });
  await cluster.apply(
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: {
        name: `folder-${uid}`,
        annotations: { 'pv.kubernetes.io/provisioned-by': FOLDER_PROVISIONER },
      },
      spec: {
        ...omitUndefined({ storageClassName }),
        capacity: resources.requests,
        accessModes,
        persistentVolumeReclaimPolicy: 'Delete',
        claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid },
        local: { path },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'kubernetes.io/hostname', operator: 'In', values: [NODE_NAME] },
                ],
              },
            ],
          },
        },
      },
    },
    { fieldManager: MANAGER },
  );
}

async function remove(cluster: Cluster, folder: string, signal: AbortSignal): Promise<void> {
  for await (const event of cluster.watch(
    { apiVersion: 'v1', kind: 'PersistentVolume' },
    { signal },
  )) {
    for (const volume of objectsOf(event)) {
      const path = (volume['spec'] as { readonly local?: { readonly path: string } }).local?.path;
      if (
        (volume['status'] as { readonly phase?: string } | undefined)?.phase !== 'Released' ||
        path?.startsWith(`${folder}/`) !== true
      )
        continue;
      rmSync(path, { recursive: true, force: true });
      await cluster.delete(
        { apiVersion: 'v1', kind: 'PersistentVolume', name: volume.metadata.name },
        { preconditions: { uid: volume.metadata.uid } },
      );
    }
  }
}

/** The current objects in an event. */
function objectsOf(event: WatchEvent): readonly LiveObject[] {
  if (event.type === 'listed') return event.items;
  return event.type === 'changed' ? [event.object] : [];
}

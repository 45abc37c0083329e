import type { LiveObject } from '#ports';
import type { FakeCluster } from '#ports/testing';
import { refOf } from '#site';
import { claimTemplates, isUnbound } from '../plan/claim-templates.ts';
import { isReady, type Pod } from '../wait/pod.ts';
import { putPod, type Behaviour } from './fake-kubelet.ts';
import { ownedBy, templateHash, podRef } from './fake-owned.ts';

export function rollSet(cluster: FakeCluster, set: LiveObject, behaviour: Behaviour): void {
  const { name, namespace, generation } = set.metadata;
  const { replicas } = set['spec'] as { replicas: number };
  if (behaviour === 'no-quota') {
    if (set['status'] !== undefined) return;
    cluster.addEvent(refOf(set), { reason: 'FailedCreate', message: QUOTA });
    return void cluster.setStatus(refOf(set), { observedGeneration: generation!, replicas: 0 });
  }
  const revision = `${name}-${templateHash(set)}`;
  const labels = { 'controller-revision-hash': revision };
  const pod = (index: number): Pod | undefined =>
    cluster.store.get(podRef(namespace!, `${name}-${index}`)) as Pod | undefined;
  const start = (index: number): boolean => {
    const as = makeClaims(cluster, set, index) ? behaviour : 'no-volume';
    return isReady(
      putPod(cluster, set, `${name}-${index}`, {
        behaviour: as,
        labels,
        volumes: volumesOf(set, index),
      }) as Pod,
    );
  };
  for (let index = 0; index < replicas; index++)
    if (pod(index) === undefined && !start(index)) break;
  const pods = Array.from({ length: replicas }, (_, index) => pod(index));
  if (pods.every((each) => each !== undefined && isReady(each))) {
    for (let index = replicas - 1; index >= 0; index--) {
      if (pod(index)!.metadata.labels?.['controller-revision-hash'] === revision) continue;
      cluster.store.remove(podRef(namespace!, `${name}-${index}`));
      if (!start(index)) break;
    }
  }
  for (let index = replicas; pod(index) !== undefined; index++)
    cluster.store.remove(podRef(namespace!, `${name}-${index}`));
  const now = ownedBy(cluster, set, 'Pod') as Pod[];
  const updated = now.filter(
    ({ metadata }) => metadata.labels?.['controller-revision-hash'] === revision,
  );
  const before =
    (set['status'] as { currentRevision?: string } | undefined)?.currentRevision ?? revision;
  cluster.setStatus(refOf(set), {
    observedGeneration: generation!,
    replicas: now.length,
    readyReplicas: now.filter(isReady).length,
    updatedReplicas: updated.length,
    updateRevision: revision,
    currentRevision: updated.length === replicas && updated.every(isReady) ? revision : before,
  });
}

/**
 * Whether a pod of a set has its volumes. Claims of a class other than the fake's only one are
 * created and wait forever; others are not modelled.
 */
function makeClaims(cluster: FakeCluster, set: LiveObject, index: number): boolean {
  const { namespace } = set.metadata;
  const bound = claimTemplates(set).map(({ metadata, spec }) => {
    const ref = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      namespace: namespace!,
      name: `${metadata.name}-${set.metadata.name}-${index}`,
    };
    const found = cluster.store.get(ref);
    if (found !== undefined) return !isUnbound(found);
    if (spec.storageClassName === CLASS) return true;
    cluster.store.put(ref, {
      object: { metadata: {}, spec: { ...spec }, status: { phase: 'Pending' } },
      owners: [],
    });
    return false;
  });
  return !bound.includes(false);
}

/** Volumes of a pod of a set: its template's, and one for each claim. */
function volumesOf(set: LiveObject, index: number): readonly object[] {
  const { volumes = [] } = (set['spec'] as { template: { spec: { volumes?: readonly object[] } } })
    .template.spec;
  const claims = claimTemplates(set).map(({ metadata: { name } }) => ({
    name,
    persistentVolumeClaim: { claimName: `${name}-${set.metadata.name}-${index}` },
  }));
  return [...volumes, ...claims];
}

const CLASS = 'standard';

export const QUOTA = 'pods is forbidden: exceeded quota: few';

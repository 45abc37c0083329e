import { canonicalJson, sha256, type Json } from '#core';
import type { LiveObject } from '#ports';
import type { FakeCluster } from '#ports/testing';
import { refOf } from '../live/object-key.ts';
import { claimTemplates, isUnbound } from '../plan/claim-templates.ts';
import { isReady, type Pod } from '../wait/pod.ts';
import { putPod, type Behaviour } from './fake-kubelet.ts';
import { settleWay, WAYS } from './fake-ways.ts';

const CONTROLLED = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'Job', ...WAYS]);

const NODES = 2;
const CLASS = 'standard';
const QUOTA = 'pods is forbidden: exceeded quota: few';

/**
 * Controllers for a cluster in memory of two nodes: Jobs run and end, Deployments roll by ReplicaSets, StatefulSets one pod after the
 * other, stopping at one that is not ready as the real ones do, DaemonSets node by node, ways to hosts are taken up. `behave` says how pods of an owner's template behave.
 */
export function startControllers(cluster: FakeCluster, behave: (owner: LiveObject) => Behaviour): void {
  const dirty = new Map<string, LiveObject>();
  const reconcile = (owner: LiveObject): void => {
    const live = cluster.store.get(refOf(owner));
    if (live === undefined || live.metadata.uid !== owner.metadata.uid) return;
    if (live.kind === 'Job') runJob(cluster, live, behave(live));
    else if (live.kind === 'Deployment') rollDeployment(cluster, live, behave(live));
    else if (live.kind === 'StatefulSet') rollSet(cluster, live, behave(live));
    else if (WAYS.has(live.kind)) settleWay(cluster, live, behave(live));
    else rollDaemons(cluster, live, behave(live));
  };
  const drain = (): void => {
    for (let round = 0; dirty.size > 0; round++) {
      if (round > 1000) throw new Error('the controllers do not come to rest');
      const [key, owner] = [...dirty][0]!;
      dirty.delete(key);
      reconcile(owner);
    }
  };
  const mark = (owner: LiveObject): void => {
    if (dirty.size === 0) queueMicrotask(drain);
    dirty.set(`${owner.kind}/${owner.metadata.name}`, owner);
  };
  cluster.store.listen(({ type, object }) => {
    if (CONTROLLED.has(object.kind) && type !== 'DELETED') mark(object);
    const [owner] = object.metadata.ownerReferences ?? [];
    const found =
      object.kind !== 'Pod' || type !== 'DELETED' || owner === undefined ? undefined : cluster.store.get({ ...owner, namespace: object.metadata.namespace! });
    if (found !== undefined) mark(found);
  });
}

function runJob(cluster: FakeCluster, job: LiveObject, behaviour: Behaviour): void {
  if (job['status'] !== undefined) return;
  const labels = { 'batch.kubernetes.io/job-name': job.metadata.name };
  const tries = behaviour === 'crashes' ? 3 : 1;
  for (let index = 0; index < tries; index++) putPod(cluster, job, `${job.metadata.name}-${index}`, { behaviour, labels, ends: true });
  if (behaviour === 'well') makeSecrets(cluster, job);
  if (behaviour === 'well') cluster.setStatus(refOf(job), { succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] });
  else cluster.setStatus(refOf(job), behaviour === 'crashes' ? { failed: tries } : { active: 1 });
}

/** What the Job of a site's Secrets does; others have no list of them. */
function makeSecrets(cluster: FakeCluster, { metadata, spec }: LiveObject): void {
  const { volumes = [] } = (spec as { template: { spec: { volumes?: readonly { configMap?: { name: string } }[] } } }).template.spec;
  for (const name of volumes.flatMap(({ configMap }) => configMap?.name ?? [])) {
    const { data } = (cluster.store.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace: metadata.namespace!, name }) ?? {}) as {
      data?: Readonly<Record<string, string>>;
    };
    const { secrets } = JSON.parse(data?.['requests.json'] ?? '{"secrets":[]}') as { secrets: readonly { name: string; labels: Record<string, string> }[] };
    for (const secret of secrets)
      cluster.store.put(
        { apiVersion: 'v1', kind: 'Secret', namespace: metadata.namespace!, name: secret.name },
        { object: { metadata: { name: secret.name, namespace: metadata.namespace!, labels: secret.labels }, data: { value: 'a secret' } }, owners: [] },
      );
  }
}

function rollDeployment(cluster: FakeCluster, deployment: LiveObject, behaviour: Behaviour): void {
  const { name, namespace, generation } = deployment.metadata;
  const { replicas } = deployment['spec'] as { replicas: number };
  const hash = templateHash(deployment);
  const ref = { apiVersion: 'apps/v1', kind: 'ReplicaSet', namespace: namespace!, name: `${name}-${hash}` };
  const sets = ownedBy(cluster, deployment, 'ReplicaSet');
  const found = sets.find((set) => set.metadata.name === ref.name);
  const numbers = sets.map(numberOf);
  const number = found !== undefined && numberOf(found) === Math.max(...numbers) ? numberOf(found) : Math.max(0, ...numbers) + 1;
  const annotations = { 'deployment.kubernetes.io/revision': String(number) };
  const { template } = deployment['spec'] as { template: Json };
  const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'Deployment', name, uid: deployment.metadata.uid, controller: true }];
  const set = cluster.store.put(ref, { object: { metadata: { name: ref.name, namespace, annotations, ownerReferences }, spec: { template } }, owners: [] });
  if (numberOf(deployment) !== number)
    cluster.edit(
      refOf(deployment),
      (object) => Object.assign(object['metadata'] as { annotations?: object }, { annotations: { ...deployment.metadata.annotations, ...annotations } }),
      'kube-controller-manager',
    );
  if (behaviour === 'no-quota')
    return void cluster.setStatus(refOf(deployment), {
      observedGeneration: generation!,
      conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: QUOTA }],
    });
  for (let index = 0; index < replicas; index++)
    if (cluster.store.get(podRef(namespace!, `${ref.name}-${index}`)) === undefined)
      putPod(cluster, set, `${ref.name}-${index}`, { behaviour, labels: { 'pod-template-hash': hash } });
  const fresh = ownedBy(cluster, set, 'Pod') as Pod[];
  for (const pod of fresh.slice(replicas)) cluster.store.remove(refOf(pod));
  const available = fresh.slice(0, replicas).filter(isReady).length;
  const others = sets.filter(({ metadata }) => metadata.uid !== set.metadata.uid).flatMap((other) => ownedBy(cluster, other, 'Pod'));
  if (available === replicas) for (const pod of others) cluster.store.remove(refOf(pod));
  cluster.setStatus(refOf(deployment), {
    observedGeneration: generation!,
    replicas: replicas + (available === replicas ? 0 : others.length),
    updatedReplicas: replicas,
    availableReplicas: available,
  });
}

function rollSet(cluster: FakeCluster, set: LiveObject, behaviour: Behaviour): void {
  const { name, namespace, generation } = set.metadata;
  const { replicas } = set['spec'] as { replicas: number };
  if (behaviour === 'no-quota') {
    if (set['status'] !== undefined) return;
    cluster.addEvent(refOf(set), { reason: 'FailedCreate', message: QUOTA });
    return void cluster.setStatus(refOf(set), { observedGeneration: generation!, replicas: 0 });
  }
  const revision = `${name}-${templateHash(set)}`;
  const labels = { 'controller-revision-hash': revision };
  const pod = (index: number): Pod | undefined => cluster.store.get(podRef(namespace!, `${name}-${index}`)) as Pod | undefined;
  const start = (index: number): boolean => {
    const as = makeClaims(cluster, set, index) ? behaviour : 'no-volume';
    return isReady(putPod(cluster, set, `${name}-${index}`, { behaviour: as, labels, volumes: volumesOf(set, index) }) as Pod);
  };
  for (let index = 0; index < replicas; index++) if (pod(index) === undefined && !start(index)) break;
  const pods = Array.from({ length: replicas }, (_, index) => pod(index));
  if (pods.every((each) => each !== undefined && isReady(each))) {
    for (let index = replicas - 1; index >= 0; index--) {
      if (pod(index)!.metadata.labels?.['controller-revision-hash'] === revision) continue;
      cluster.store.remove(podRef(namespace!, `${name}-${index}`));
      if (!start(index)) break;
    }
  }
  for (let index = replicas; pod(index) !== undefined; index++) cluster.store.remove(podRef(namespace!, `${name}-${index}`));
  const now = ownedBy(cluster, set, 'Pod') as Pod[];
  const updated = now.filter(({ metadata }) => metadata.labels?.['controller-revision-hash'] === revision);
  const before = (set['status'] as { currentRevision?: string } | undefined)?.currentRevision ?? revision;
  cluster.setStatus(refOf(set), {
    observedGeneration: generation!,
    replicas: now.length,
    readyReplicas: now.filter(isReady).length,
    updatedReplicas: updated.length,
    updateRevision: revision,
    currentRevision: updated.length === replicas && updated.every(isReady) ? revision : before,
  });
}

/** Whether a pod of a set has its volumes. Claims of a class that is not the fake's only one, as tests bring about, are made and wait for ever; others are not followed. */
function makeClaims(cluster: FakeCluster, set: LiveObject, index: number): boolean {
  const { namespace } = set.metadata;
  const bound = claimTemplates(set).map(({ metadata, spec }) => {
    const ref = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: namespace!, name: `${metadata.name}-${set.metadata.name}-${index}` };
    const found = cluster.store.get(ref);
    if (found !== undefined) return !isUnbound(found);
    if (spec.storageClassName === CLASS) return true;
    cluster.store.put(ref, { object: { metadata: {}, spec: { ...spec }, status: { phase: 'Pending' } }, owners: [] });
    return false;
  });
  return !bound.includes(false);
}

/** Volumes of a pod of a set: its template's, and one for each claim. */
function volumesOf(set: LiveObject, index: number): readonly object[] {
  const { volumes = [] } = (set['spec'] as { template: { spec: { volumes?: readonly object[] } } }).template.spec;
  const claims = claimTemplates(set).map(({ metadata: { name } }) => ({ name, persistentVolumeClaim: { claimName: `${name}-${set.metadata.name}-${index}` } }));
  return [...volumes, ...claims];
}

function rollDaemons(cluster: FakeCluster, set: LiveObject, behaviour: Behaviour): void {
  const { name, namespace, generation } = set.metadata;
  const labels = { 'controller-revision-hash': templateHash(set) };
  for (let node = 0; node < NODES; node++) {
    const ref = podRef(namespace!, `${name}-${node}`);
    const pod = cluster.store.get(ref);
    const isNew = pod?.metadata.labels?.['controller-revision-hash'] === labels['controller-revision-hash'];
    if (pod !== undefined && !isNew) cluster.store.remove(ref);
    const now = isNew ? pod : putPod(cluster, set, ref.name, { behaviour, labels });
    if (pod !== undefined && !isReady(now as Pod)) break;
  }
  const pods = ownedBy(cluster, set, 'Pod') as Pod[];
  const updated = pods.filter(({ metadata }) => metadata.labels?.['controller-revision-hash'] === labels['controller-revision-hash']).length;
  const ready = pods.filter(isReady).length;
  cluster.setStatus(refOf(set), {
    observedGeneration: generation!,
    desiredNumberScheduled: NODES,
    currentNumberScheduled: pods.length,
    updatedNumberScheduled: updated,
    numberReady: ready,
    numberAvailable: ready,
  });
}

function ownedBy(cluster: FakeCluster, owner: LiveObject, kind: string): LiveObject[] {
  return cluster.store.all().filter((object) => object.kind === kind && object.metadata.ownerReferences?.[0]?.uid === owner.metadata.uid);
}

function templateHash(owner: LiveObject): string {
  return sha256(canonicalJson((owner['spec'] as { template: Json }).template)).slice(0, 8);
}

function numberOf({ metadata }: LiveObject): number {
  return Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);
}

function podRef(namespace: string, name: string) {
  return { apiVersion: 'v1', kind: 'Pod', namespace, name };
}

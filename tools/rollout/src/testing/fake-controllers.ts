import { type Json } from '#core';
import type { LiveObject } from '#ports';
import type { FakeCluster } from '#ports/testing';
import { refOf } from '#site';
import { isReady, type Pod } from '../wait/pod.ts';
import { putPod, type Behaviour } from './fake-kubelet.ts';
import { ownedBy, templateHash, numberOf, podRef } from './fake-owned.ts';
import { rollSet, QUOTA } from './fake-stateful-set.ts';
import { settleWay, EXPOSURE_KINDS } from './fake-exposure.ts';

const CONTROLLED = new Set(['Deployment', 'StatefulSet', 'DaemonSet', 'Job', ...EXPOSURE_KINDS]);

const NODES = 2;

/**
 * Controllers for an in-memory cluster of two nodes: Jobs run and finish, Deployments roll by
 * ReplicaSets, StatefulSets pod by pod, stopping at one that is not ready as the real ones do,
 * DaemonSets node by node, and routes are accepted. `behave` sets how pods of an owner's template
 * behave.
 */
export function startControllers(
  cluster: FakeCluster,
  behave: (owner: LiveObject) => Behaviour,
): void {
  const dirty = new Map<string, LiveObject>();
  const reconcile = (owner: LiveObject): void => {
    const live = cluster.store.get(refOf(owner));
    if (live === undefined || live.metadata.uid !== owner.metadata.uid) return;
    if (live.kind === 'Job') runJob(cluster, live, behave(live));
    else if (live.kind === 'Deployment') rollDeployment(cluster, live, behave(live));
    else if (live.kind === 'StatefulSet') rollSet(cluster, live, behave(live));
    else if (EXPOSURE_KINDS.has(live.kind)) settleWay(cluster, live, behave(live));
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
    dirty.set(`${owner.kind}/${owner.metadata.namespace}/${owner.metadata.name}`, owner);
  };
  cluster.store.listen(({ type, object }) => {
    if (CONTROLLED.has(object.kind) && type !== 'DELETED') mark(object);
    const [owner] = object.metadata.ownerReferences ?? [];
    const namespace = object.metadata.namespace!;
    const found =
      object.kind !== 'Pod' || type !== 'DELETED' || owner === undefined
        ? undefined
        : cluster.store.get({ ...owner, namespace });
    // The pods of a ReplicaSet are those of its Deployment.
    const [above] = found?.kind === 'ReplicaSet' ? found.metadata.ownerReferences! : [];
    const controlled = above === undefined ? found : cluster.store.get({ ...above, namespace });
    if (controlled !== undefined) mark(controlled);
  });
}

function runJob(cluster: FakeCluster, job: LiveObject, behaviour: Behaviour): void {
  if (job['status'] !== undefined) return;
  const labels = { 'batch.kubernetes.io/job-name': job.metadata.name };
  const crashes = behaviour === 'crashes' || behaviour === 'no-input';
  const isWell = behaviour === 'well' || behaviour.startsWith('reports ');
  const tries = crashes ? 3 : 1;
  for (let index = 0; index < tries; index++)
    putPod(cluster, job, `${job.metadata.name}-${index}`, { behaviour, labels, ends: true });
  if (isWell) makeSecrets(cluster, job);
  if (isWell)
    cluster.setStatus(refOf(job), {
      succeeded: 1,
      conditions: [{ type: 'Complete', status: 'True' }],
    });
  else cluster.setStatus(refOf(job), crashes ? { failed: tries } : { active: 1 });
}

/** Runs the Job that creates a site's Secrets; other Jobs have no list of them. */
function makeSecrets(cluster: FakeCluster, { metadata, spec }: LiveObject): void {
  const { volumes = [] } = (
    spec as { template: { spec: { volumes?: readonly { configMap?: { name: string } }[] } } }
  ).template.spec;
  for (const name of volumes.flatMap(({ configMap }) => configMap?.name ?? [])) {
    const { data } = (cluster.store.get({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: metadata.namespace!,
      name,
    }) ?? {}) as {
      data?: Readonly<Record<string, string>>;
    };
    const { secrets } = JSON.parse(data?.['requests.json'] ?? '{"secrets":[]}') as {
      secrets: readonly {
        name: string;
        labels: Record<string, string>;
        copies?: readonly string[];
      }[];
    };
    for (const { name: secret, labels, copies = [] } of secrets)
      for (const namespace of [metadata.namespace!, ...copies])
        cluster.store.put(
          { apiVersion: 'v1', kind: 'Secret', namespace, name: secret },
          {
            object: { metadata: { name: secret, namespace, labels }, data: { value: 'a secret' } },
            owners: [],
          },
        );
  }
}

function rollDeployment(cluster: FakeCluster, deployment: LiveObject, behaviour: Behaviour): void {
  const { name, namespace, generation } = deployment.metadata;
  const { replicas } = deployment['spec'] as { replicas: number };
  const hash = templateHash(deployment);
  const ref = {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    namespace: namespace!,
    name: `${name}-${hash}`,
  };
  const sets = ownedBy(cluster, deployment, 'ReplicaSet');
  const found = sets.find((set) => set.metadata.name === ref.name);
  const numbers = sets.map(numberOf);
  const number =
    found !== undefined && numberOf(found) === Math.max(...numbers)
      ? numberOf(found)
      : Math.max(0, ...numbers) + 1;
  const annotations = { 'deployment.kubernetes.io/revision': String(number) };
  const { template } = deployment['spec'] as { template: Json };
  const ownerReferences = [
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      name,
      uid: deployment.metadata.uid,
      controller: true,
    },
  ];
  const set = cluster.store.put(ref, {
    object: {
      metadata: { name: ref.name, namespace, annotations, ownerReferences },
      spec: { template },
    },
    owners: [],
  });
  if (numberOf(deployment) !== number)
    cluster.edit(
      refOf(deployment),
      (object) =>
        Object.assign(object['metadata'] as { annotations?: object }, {
          annotations: { ...deployment.metadata.annotations, ...annotations },
        }),
      'kube-controller-manager',
    );
  if (behaviour === 'no-quota')
    return void cluster.setStatus(refOf(deployment), {
      observedGeneration: generation!,
      conditions: [
        { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: QUOTA },
      ],
    });
  for (let index = 0; index < replicas; index++)
    if (cluster.store.get(podRef(namespace!, `${ref.name}-${index}`)) === undefined)
      putPod(cluster, set, `${ref.name}-${index}`, {
        behaviour,
        labels: { 'pod-template-hash': hash },
      });
  const fresh = ownedBy(cluster, set, 'Pod') as Pod[];
  for (const pod of fresh.slice(replicas)) cluster.store.remove(refOf(pod));
  const available = fresh.slice(0, replicas).filter(isReady).length;
  const others = sets
    .filter(({ metadata }) => metadata.uid !== set.metadata.uid)
    .flatMap((other) => ownedBy(cluster, other, 'Pod'));
  if (available === replicas) for (const pod of others) cluster.store.remove(refOf(pod));
  cluster.setStatus(refOf(deployment), {
    observedGeneration: generation!,
    replicas: replicas + (available === replicas ? 0 : others.length),
    updatedReplicas: replicas,
    availableReplicas: available,
  });
}

function rollDaemons(cluster: FakeCluster, set: LiveObject, behaviour: Behaviour): void {
  const { name, namespace, generation } = set.metadata;
  const labels = { 'controller-revision-hash': templateHash(set) };
  const nodes = behaviour === 'no-node' ? 0 : NODES;
  for (let node = 0; node < nodes; node++) {
    const ref = podRef(namespace!, `${name}-${node}`);
    const pod = cluster.store.get(ref);
    const isNew =
      pod?.metadata.labels?.['controller-revision-hash'] === labels['controller-revision-hash'];
    if (pod !== undefined && !isNew) cluster.store.remove(ref);
    const now = isNew ? pod : putPod(cluster, set, ref.name, { behaviour, labels });
    if (pod !== undefined && !isReady(now as Pod)) break;
  }
  const pods = ownedBy(cluster, set, 'Pod') as Pod[];
  const updated = pods.filter(
    ({ metadata }) =>
      metadata.labels?.['controller-revision-hash'] === labels['controller-revision-hash'],
  ).length;
  const ready = pods.filter(isReady).length;
  cluster.setStatus(refOf(set), {
    observedGeneration: generation!,
    desiredNumberScheduled: nodes,
    currentNumberScheduled: pods.length,
    updatedNumberScheduled: updated,
    numberReady: ready,
    numberAvailable: ready,
  });
}

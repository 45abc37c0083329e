import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { KUBERNETES_MINORS } from '#cluster';
import type { Cluster, KubernetesObject, LiveObject, ObjectRef } from '#ports';
import { POD_LOG } from './kwok-nodes.ts';
import { startTestCluster, type TestCluster } from './start-test-cluster.ts';

const namespace = 'default';
let under: TestCluster;
let cluster: Cluster;

beforeAll(async () => {
  under = await startTestCluster({ nodes: 3 });
  ({ cluster } = under);
});
afterAll(async () => {
  await under?.stop();
});

const pod = (name: string, more: object = {}, failure?: string) => ({
  metadata: {
    labels: { app: name },
    ...(failure === undefined ? {} : { annotations: { 'test/failure': failure } }),
  },
  spec: { containers: [{ name: 'main', image: 'image:1' }], ...more },
});
const workload = (kind: string, name: string, failure?: string): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, namespace },
  spec: {
    ...(kind === 'DaemonSet' ? {} : { replicas: 3 }),
    ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
    selector: { matchLabels: { app: name } },
    template: pod(name, {}, failure),
  },
});
const job = (name: string, failure?: string): KubernetesObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name, namespace },
  spec: { backoffLimit: 0, template: pod(name, { restartPolicy: 'Never' }, failure) },
});
const refTo = ({ apiVersion, kind, metadata: { name } }: KubernetesObject): ObjectRef => ({
  apiVersion,
  kind,
  namespace,
  name,
});
const statusOf = (object: LiveObject | undefined) =>
  (object?.['status'] ?? {}) as Readonly<Record<string, unknown>>;
const until = async (
  object: KubernetesObject,
  isSo: (status: Readonly<Record<string, unknown>>) => boolean,
) => {
  for (const limit = Date.now() + 30_000; Date.now() < limit; await delay(100))
    if (isSo(statusOf(await cluster.get(refTo(object))))) return;
  throw new Error(
    `${object.kind} ${object.metadata.name} stays ${JSON.stringify(statusOf(await cluster.get(refTo(object))))}`,
  );
};
const apply = async (object: KubernetesObject) =>
  expect(await cluster.apply(object, { fieldManager: 'test' })).toMatchObject({
    outcome: 'applied',
  });

it('has the requested version', async () => {
  expect((await cluster.version()).gitVersion).toMatch(
    new RegExp(`^v${process.env['CCP_TEST_KUBERNETES'] ?? KUBERNETES_MINORS[0]}\\.\\d+$`),
  );
});

it('runs workloads and jobs, and deletes their pods with them', async () => {
  const [deployment, set, daemons, once] = [
    workload('Deployment', 'web'),
    workload('StatefulSet', 'db'),
    workload('DaemonSet', 'agent'),
    job('once'),
  ] as const;
  for (const each of [deployment, set, daemons, once]) await apply(each);
  await until(deployment, ({ availableReplicas }) => availableReplicas === 3);
  await until(set, ({ readyReplicas }) => readyReplicas === 3);
  await until(daemons, ({ numberAvailable }) => numberAvailable === 3);
  await until(
    once,
    ({ succeeded, conditions }) =>
      succeeded === 1 && JSON.stringify(conditions).includes('"Complete"'),
  );
  expect(await cluster.delete(refTo(deployment), { propagation: 'foreground' })).toEqual({
    outcome: 'deleting',
  });
  for (
    const limit = Date.now() + 20_000;
    (await cluster.get(refTo(deployment))) !== undefined && Date.now() < limit;
  )
    await delay(100);
  expect(
    (await cluster.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace, labelSelector: 'app=web' }))
      .items,
  ).toEqual([]);
});

it('simulates the failure in the annotation of a pod', async () => {
  const [crashing, imageless, failing] = [
    workload('Deployment', 'crashing', 'crash'),
    workload('Deployment', 'imageless', 'image'),
    job('failing', 'fail'),
  ] as const;
  for (const each of [crashing, imageless, failing]) await apply(each);
  await until(
    failing,
    ({ failed, conditions }) => failed === 1 && JSON.stringify(conditions).includes('"Failed"'),
  );
  const waiting = async (name: string) => {
    const { items } = await cluster.list(
      { apiVersion: 'v1', kind: 'Pod' },
      { namespace, labelSelector: `app=${name}` },
    );
    return items.map(
      (each) =>
        (
          (statusOf(each)['containerStatuses'] ?? []) as readonly {
            readonly state: { readonly waiting?: { readonly reason: string } };
          }[]
        )[0]?.state.waiting?.reason,
    );
  };
  await expect
    .poll(() => waiting('crashing'), { timeout: 20_000 })
    .toEqual(['CrashLoopBackOff', 'CrashLoopBackOff', 'CrashLoopBackOff']);
  await expect
    .poll(() => waiting('imageless'), { timeout: 20_000 })
    .toEqual(['ImagePullBackOff', 'ImagePullBackOff', 'ImagePullBackOff']);
});

it('has a log and events of a failed container', async () => {
  const {
    items: [failed],
  } = await cluster.list(
    { apiVersion: 'v1', kind: 'Pod' },
    { namespace, labelSelector: 'app=failing' },
  );
  const { name } = (failed as LiveObject).metadata;
  expect(await cluster.logs({ namespace, name }, { container: 'main' })).toBe(POD_LOG);
  expect(await cluster.logs({ namespace, name }, { tail: 1 })).toBe(
    'ERROR cannot continue: simulated failure\n',
  );
  await expect(cluster.logs({ namespace, name }, { container: 'other' })).rejects.toMatchObject({
    code: 'cluster-invalid',
    message: expect.stringContaining(`container other is not valid for pod ${name}`),
  });
  expect(await cluster.events({ apiVersion: 'v1', kind: 'Pod', namespace, name })).toMatchObject([
    {
      type: 'Normal',
      reason: 'Scheduled',
      message: expect.stringContaining(`Successfully assigned default/${name} to node-`),
    },
  ]);
});

it('continues a watch after the API server is killed', async () => {
  const seen: string[] = [];
  const stop = new AbortController();
  const watching = (async () => {
    for await (const event of cluster.watch(
      { apiVersion: 'v1', kind: 'ConfigMap' },
      { namespace, labelSelector: 'watch=yes', signal: stop.signal },
    )) {
      seen.push(event.type === 'changed' ? `changed ${event.object.metadata.name}` : event.type);
    }
  })();
  const configMap = (name: string): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: { watch: 'yes' } },
  });
  await expect.poll(() => seen).toEqual(['listed']);
  await apply(configMap('before'));
  await expect.poll(() => seen).toEqual(['listed', 'changed before']);
  await under.restartApiServer();
  await apply(configMap('after'));
  await expect.poll(() => seen.at(-1), { timeout: 30_000 }).toBe('changed after');
  expect(seen.filter((each) => each !== 'lost' && each !== 'listed')).toEqual([
    'changed before',
    'changed after',
  ]);
  stop.abort();
  await watching;
});

it('leaves nothing behind after a stop', async () => {
  const { folder } = under;
  await under.stop();
  const left = readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && commandLine(pid).includes(folder),
  );
  expect(left).toEqual([]);
  expect(() => readdirSync(folder)).toThrow('ENOENT');
});

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

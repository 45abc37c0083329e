import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { KubernetesObject } from '#ports';
import { buildGate } from '../helpers/build-gate.ts';
import { REPOSITORY } from '../helpers/ccp.ts';
import { startTestCluster, type TestCluster } from '../helpers/cluster/start-test-cluster.ts';

const namespace = 'shop';
/** The objects of the guide. */
const OBJECTS = parseAllDocuments(
  /```yaml\n([^]*?)```/.exec(readFileSync(join(REPOSITORY, 'docs/guides/layers.md'), 'utf8'))![1]!,
).map((document) => document.toJS() as KubernetesObject);

let test: TestCluster;
let gate: string;
let account: string;

const apply = async (object: KubernetesObject): Promise<void> =>
  expect(await test.cluster.apply(object, { fieldManager: 'user' })).toMatchObject({
    outcome: 'applied',
  });

beforeAll(async () => {
  gate = await buildGate();
  test = await startTestCluster({ nodes: 1 });
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const object of OBJECTS.filter(({ kind }) => kind !== 'Pod')) await apply(object);
  await apply({
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/service-account-token',
    metadata: {
      name: 'gate',
      namespace,
      annotations: { 'kubernetes.io/service-account.name': 'gate' },
    },
  });
  account = join(test.folder, 'account');
  mkdirSync(account);
  const ref = { apiVersion: 'v1', kind: 'Secret', name: 'gate', namespace };
  for (const limit = Date.now() + 30_000; Date.now() < limit; await delay(100)) {
    const data = (await test.cluster.get(ref))?.['data'] as Record<string, string> | undefined;
    if (data?.['token'] === undefined) continue;
    for (const key of ['token', 'ca.crt'])
      writeFileSync(join(account, key), Buffer.from(data[key]!, 'base64'));
    return;
  }
  throw new Error('the service account has no token');
}, 300_000);
afterAll(async () => await test?.stop());

/** Runs the gate as in the pod of the guide, with this timeout. */
async function run(timeout: string): Promise<{ readonly code: number; readonly output: string }> {
  const pod = OBJECTS.find(({ kind }) => kind === 'Pod')!['spec'] as {
    readonly initContainers: readonly { readonly args: readonly string[] }[];
  };
  const args = pod.initContainers[0]!.args.map((word) => (word === '30m' ? timeout : word));
  const { clusters } = parse(readFileSync(test.kubeconfig, 'utf8')) as {
    readonly clusters: readonly { readonly cluster: { readonly server: string } }[];
  };
  const { hostname, port } = new URL(clusters[0]!.cluster.server);
  const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  return await new Promise((resolve) => {
    execFile(gate, [...args, '--account', account], { env }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr }),
    );
  });
}

it('waits with the rights of the guide for objects that this project did not render', async () => {
  const early = await run('5s');
  expect(early.code).toBe(1);
  expect(early.output).toContain('Service shop/database: ');
  expect(early.output).toContain('Job shop/migrate: it does not exist');
  await apply({
    ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType: 'IPv4' },
    metadata: {
      name: 'database-x',
      namespace,
      labels: { 'kubernetes.io/service-name': 'database' },
    },
    endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: true } }],
    ports: [],
  });
  const running = run('60s');
  await apply({
    ...{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'migrate', namespace } },
    spec: {
      template: {
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'migrate', image: 'registry.example.org/shop/migrate' }],
        },
      },
    },
  });
  const { code, output } = await running;
  expect([code, output]).toEqual([0, expect.stringContaining('all conditions met after ')]);
}, 120_000);

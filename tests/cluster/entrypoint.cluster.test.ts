import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { KubernetesObject } from '#ports';
import { REPOSITORY } from '../helpers/ccp.ts';
import { startTestCluster, type TestCluster } from '../helpers/cluster/start-test-cluster.ts';

const namespace = 'default';
let under: TestCluster;
let kubeconfig: string;

const apply = async (object: object) =>
  expect(
    await under.cluster.apply(object as KubernetesObject, { fieldManager: 'test' }),
  ).toMatchObject({ outcome: 'applied' });

/**
 * Binds the role of images/entrypoint to a service account; resolves with a kubeconfig with its
 * token.
 */
beforeAll(async () => {
  under = await startTestCluster({ nodes: 1 });
  const role = parse(
    readFileSync(join(REPOSITORY, 'images/entrypoint/role.yaml'), 'utf8'),
  ) as KubernetesObject;
  await apply({ ...role, metadata: { ...role.metadata, namespace } });
  await apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'gate', namespace } });
  await apply({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'gate', namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role.metadata.name },
    subjects: [{ kind: 'ServiceAccount', name: 'gate', namespace }],
  });
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
  let token: string | undefined;
  for (
    const limit = Date.now() + 30_000;
    token === undefined && Date.now() < limit;
    await delay(100)
  ) {
    const secret = await under.cluster.get({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace,
      name: 'gate',
    });
    token = (secret?.['data'] as Readonly<Record<string, string>> | undefined)?.['token'];
  }
  const config = parse(readFileSync(under.kubeconfig, 'utf8')) as {
    users: { name: string; user: object }[];
    contexts: { context: { user: string } }[];
  };
  const user = config.contexts[0]!.context.user;
  kubeconfig = join(under.folder, 'gate');
  writeFileSync(
    kubeconfig,
    stringify({
      ...config,
      users: [{ name: user, user: { token: Buffer.from(token!, 'base64').toString() } }],
    }),
  );
});
afterAll(async () => await under?.stop());

async function entrypoint(
  ...words: readonly string[]
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(
    process.execPath,
    [join(REPOSITORY, 'tools/entrypoint/src/main.ts'), ...words],
    {
      env: { ...process.env, KUBECONFIG: kubeconfig },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => (output += more));
  return await new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}

it('waits with a read-only service account for a service and a job', async () => {
  const waiting = entrypoint(
    '--service',
    'db',
    '--job',
    'sync',
    '--timeout',
    '60s',
    '--',
    'echo',
    'go',
  );
  const template = {
    metadata: { labels: { app: 'db' } },
    spec: { containers: [{ name: 'main', image: 'image:1' }] },
  };
  await apply({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'db', namespace },
    spec: { selector: { app: 'db' }, ports: [{ port: 3306 }] },
  });
  await apply({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'db', namespace },
    spec: { selector: { matchLabels: { app: 'db' } }, template },
  });
  await apply({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'sync', namespace },
    spec: {
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'image:1' }] },
      },
    },
  });
  const { code, output } = await waiting;
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(output).toMatch(/Service default\/db: met\n/);
  expect(output).toMatch(/Job default\/sync: met\n/);
  expect(output).toMatch(/go\n$/);
});

it('stops immediately and reports a missing permission', async () => {
  const { code, output } = await entrypoint('--condition', 'apps/v1/Deployment/db:Available');
  expect(code).toBe(1);
  expect(output).toContain(
    'deployments.apps "db" is forbidden: User "system:serviceaccount:default:gate" cannot get resource "deployments"',
  );
});

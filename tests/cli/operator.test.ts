import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { KubernetesObject } from '#ports';
import { fakeCluster, startFakeApiServer, type FakeApiServer } from '#ports/testing';
import { newKeyPair } from '#release';
import { refOf } from '#site';
import { startControllers } from '../../tools/rollout/src/testing/fake-controllers.ts';
import { answerFaults } from '../helpers/answer-faults.ts';
import { REPOSITORY } from '../helpers/ccp.ts';
import { createVolumes } from '../helpers/cluster/create-volumes.ts';
import { freePorts } from '../helpers/cluster/free-ports.ts';
import { EXAMPLE_IMAGES } from '../helpers/example-workspace.ts';
import { repositorySet } from '../helpers/repository-set.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { setRegistry, type SetRegistry } from '../helpers/set-registry.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

const RELEASE = {
  apiVersion: 'ccp.openstack.org/v1alpha1',
  kind: 'OpenStackRelease',
  name: 'example',
  namespace: 'openstack',
};
const SITE = readFileSync(join(REPOSITORY, 'deploy-specs/example/site.yaml'), 'utf8').replace(
  'database: fast',
  'database: standard',
);
const IMAGE = `registry.example.org/ccp/entrypoint@sha256:${'a'.repeat(64)}`;
/** Exported files that are compared with those in tests/fixtures/operator. */
const GOLDEN = [
  '05-clusterrole-ccp-operator.yaml',
  '07-role-ccp-operator.yaml',
  '09-role-ccp-operator-example.yaml',
  '11-networkpolicy-ccp-operator.yaml',
  '12-service-ccp-operator.yaml',
  '13-deployment-ccp-operator.yaml',
];
const { privateKey, publicKey } = newKeyPair('ed25519', undefined);

const cluster = fakeCluster();
let server: FakeApiServer;
let workspace: TestWorkspace;
let registry: SetRegistry;
let hook: Server;
const posted: { readonly resource: string; readonly reason: string }[] = [];

beforeAll(async () => {
  startControllers(cluster, () => 'well');
  await createVolumes(cluster, ['standard'], 0);
  server = await startFakeApiServer(cluster, { bookmarkMs: 20 });
  const set = repositorySet(EXAMPLE_IMAGES);
  registry = await setRegistry(set, privateKey);
  workspace = testWorkspace();
  workspace.write('deploy-specs/example/site.yaml', SITE);
  workspace.write('set.json', set);
  workspace.write('kubeconfig', server.kubeconfig);
  hook = createServer((request, response) => {
    void text(request).then((body) => {
      posted.push(JSON.parse(body) as (typeof posted)[number]);
      response.end();
    });
  });
  await once(hook.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  hook?.close();
  await registry?.close();
  await server?.close();
  workspace?.remove();
});

const connection = (): string[] => ['--kubeconfig', join(workspace.root, 'kubeconfig')];
const objectFlags = (): string[] => [
  ...['--set', join(workspace.root, 'set.json')],
  ...['--image', IMAGE, '--webhook', 'http://127.0.0.1:9/'],
];
const run = async (...args: readonly string[]) => await runInProcess(workspace.root, args);

it('exports the objects of the operator as files, and installs the same objects', async () => {
  const folder = join(workspace.root, 'out');
  const exported = await run('export', 'operator', 'example', '-o', folder, ...objectFlags());
  expect([exported.exitCode, exported.stderr]).toEqual([0, '']);
  const files = readdirSync(folder).sort();
  expect(files).toMatchInlineSnapshot(`
    [
      "00-customresourcedefinition-openstackreleases.ccp.openstack.org.yaml",
      "01-customresourcedefinition-openstackservices.ccp.openstack.org.yaml",
      "02-namespace-ccp-operator.yaml",
      "03-namespace-openstack.yaml",
      "04-serviceaccount-ccp-operator.yaml",
      "05-clusterrole-ccp-operator.yaml",
      "06-clusterrolebinding-ccp-operator.yaml",
      "07-role-ccp-operator.yaml",
      "08-rolebinding-ccp-operator.yaml",
      "09-role-ccp-operator-example.yaml",
      "10-rolebinding-ccp-operator-example.yaml",
      "11-networkpolicy-ccp-operator.yaml",
      "12-service-ccp-operator.yaml",
      "13-deployment-ccp-operator.yaml",
    ]
  `);
  const readObject = (file: string): KubernetesObject =>
    parse(readFileSync(join(folder, file), 'utf8')) as KubernetesObject;
  const objects = files.map(readObject);
  for (const file of GOLDEN)
    await expect(readFileSync(join(folder, file), 'utf8')).toMatchFileSnapshot(
      `../fixtures/operator/${file}`,
    );

  const installed = await run(
    ...['--json', '-q', 'operator', 'install', 'example', ...objectFlags(), ...connection()],
  );
  expect([installed.exitCode, installed.stderr]).toEqual([0, '']);
  const answer = JSON.parse(installed.stdout) as Record<string, unknown>;
  expect(answerFaults('ccp operator install', answer)).toEqual([]);
  expect(answer).toMatchObject({ namespace: 'ccp-operator', objects: objects.length });
  for (const object of objects) {
    const { apiVersion: _, kind: __, metadata, ...rest } = object;
    expect(cluster.store.get(refOf(object)), metadata.name).toMatchObject({
      metadata: { labels: metadata.labels },
      ...rest,
    });
  }
});

it('runs with a site in a ConfigMap, a signed set of a registry, a webhook and metrics', async () => {
  const [port] = await freePorts(1);
  const { port: hookPort } = hook.address() as AddressInfo;
  const configMap = async (site: string): Promise<unknown> =>
    await cluster.apply(
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'example-site', namespace: 'openstack' },
        data: { 'site.yaml': site },
      },
      { fieldManager: 'user' },
    );
  const put = async (keys: readonly string[]): Promise<unknown> =>
    await cluster.apply(
      {
        ...{ apiVersion: RELEASE.apiVersion, kind: RELEASE.kind },
        metadata: { name: RELEASE.name, namespace: RELEASE.namespace },
        spec: {
          set: { registry: registry.place, digest: registry.digest, keys },
          site: { configMap: { name: 'example-site' } },
        },
      },
      { fieldManager: 'user' },
    );
  const status = (): string => JSON.stringify(cluster.store.get(RELEASE)?.['status'] ?? {});
  const child = spawn(
    `${REPOSITORY}/ccp`,
    [
      ...['-C', workspace.root, 'operator', 'run', '--metrics', String(port)],
      ...['--webhook', `http://127.0.0.1:${hookPort}/`, ...connection()],
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, TERM: 'dumb' } },
  );
  const output = Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  try {
    await put([newKeyPair('ed25519', undefined).publicKey]);
    await expect.poll(status).toContain('the ConfigMap example-site of spec.site.configMap');
    await configMap(SITE);
    await put([newKeyPair('ed25519', undefined).publicKey]);
    await expect.poll(status).toContain('is not trusted');
    await put([publicKey]);
    await expect.poll(status, { timeout: 40_000 }).toContain('revision 1 is good');
    const before = registry.requests.length;
    await configMap(SITE.replace('debug: false', 'debug: true'));
    await expect.poll(status, { timeout: 40_000 }).toContain('revision 2 is good');
    expect(registry.requests.length).toBeGreaterThan(before);
    expect(posted).toContainEqual(
      expect.objectContaining({
        resource: 'OpenStackRelease/openstack/example',
        reason: 'Applied',
      }),
    );
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toContain('ccp_operator_leader 1\n');
    expect(metrics).toContain(
      'ccp_operator_ready{resource="OpenStackRelease/openstack/example"} 1\n',
    );
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  } finally {
    child.kill('SIGINT');
  }
  const [stdout, stderr, [exitCode]] = await output;
  expect([exitCode, stdout]).toEqual([0, 'the operator has ended\n']);
  expect(stderr).toContain('OpenStackRelease/openstack/example: revision 2 is good');
});

it('is uninstalled when no resource is left', async () => {
  const refused = await run('operator', 'uninstall', ...connection());
  expect([refused.exitCode, refused.stderr]).toMatchInlineSnapshot(`
    [
      7,
      "ccp: the operator still has 1 resource, like OpenStackRelease/example in openstack
      -> delete them first; to keep a site, remove the finalizer of its resource
    ",
    ]
  `);
  cluster.edit(RELEASE, (object) => {
    Object.assign(object['metadata'] as object, { finalizers: [] });
  });
  await cluster.delete(RELEASE);
  const removed = await run('--json', '-q', 'operator', 'uninstall', ...connection());
  expect([removed.exitCode, removed.stderr]).toEqual([0, '']);
  const answer = JSON.parse(removed.stdout) as Record<string, unknown>;
  expect(answerFaults('ccp operator install', answer)).toEqual([]);
  const left = await Promise.all(
    [
      ['v1', 'Namespace'],
      ['rbac.authorization.k8s.io/v1', 'ClusterRole'],
      ['rbac.authorization.k8s.io/v1', 'Role'],
      ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
    ].map(async ([apiVersion = '', kind = '']) => (await cluster.list({ apiVersion, kind })).items),
  );
  const names = left.flat().map(({ metadata }) => metadata.name);
  expect(names.filter((name) => name.includes('operator') || name.includes('ccp.'))).toEqual([]);
  expect(names).toContain('openstack');
});

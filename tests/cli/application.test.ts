import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { fakeCluster, startFakeApiServer, type FakeApiServer } from '#ports/testing';
import { startControllers } from '../../tools/rollout/src/testing/fake-controllers.ts';
import type { Behaviour } from '../../tools/rollout/src/testing/fake-kubelet.ts';
import { answerFaults } from '../helpers/answer-faults.ts';
import { createVolumes } from '../helpers/cluster/create-volumes.ts';
import { EXAMPLE_IMAGES, exampleWorkspace } from '../helpers/example-workspace.ts';
import { missingImageSet } from '../helpers/missing-image-set.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

const cluster = fakeCluster();
let server: FakeApiServer;
let workspace: TestWorkspace;
let jobs: Behaviour = 'well';
let receiver: Server;
const posted: { readonly body: string; readonly signature: unknown }[] = [];

beforeAll(async () => {
  startControllers(cluster, ({ kind }) => (kind === 'Job' ? jobs : 'well'));
  await createVolumes(cluster, ['standard'], 0);
  for (const name of ['one', 'two', 'three'])
    cluster.store.put(
      { apiVersion: 'v1', kind: 'Node', name },
      { object: { metadata: { labels: { 'openstack-compute-node': 'x' } } }, owners: [] },
    );
  server = await startFakeApiServer(cluster, { bookmarkMs: 20 });
  ({ workspace } = exampleWorkspace());
  const site = 'deploy-specs/example/site.yaml';
  const written = readFileSync(join(workspace.root, site), 'utf8');
  workspace.write(site, written.replace('database: fast', 'database: standard'));
  workspace.write('set.json', missingImageSet([...EXAMPLE_IMAGES, 'gate']));
  workspace.write('kubeconfig', server.kubeconfig);
  workspace.write('hook.key', 'a key of thirty-two characters..\n');
  for (const number of [0, 1, 2]) {
    // The jobs of the third version are new: they have other images.
    if (number === 2)
      workspace.write(
        'set.json',
        readFileSync(path('set.json'), 'utf8').replaceAll(
          /"digest":"sha256:./g,
          '"digest":"sha256:f',
        ),
      );
    const exported = await runInProcess(workspace.root, [
      ...['export', 'tarball', 'example', '--set', path('set.json')],
      ...['--number', String(number), '-o', path(`example-${number}.tgz`)],
    ]);
    expect(exported).toMatchObject({ exitCode: 0 });
  }
  receiver = createServer((request, response) => {
    void text(request).then((body) => {
      posted.push({ body, signature: request.headers['x-ccp-signature'] });
      response.end();
    });
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
}, 180_000);
afterAll(async () => {
  receiver?.close();
  await server?.close();
  workspace?.remove();
});

const path = (name: string): string => join(workspace.root, name);
const run = (...args: readonly string[]) =>
  runInProcess(workspace.root, [...args, '--kubeconfig', path('kubeconfig')]);

/** The exit code and answer of a command, which its schema must describe. */
async function answer(
  group: string,
  ...args: readonly string[]
): Promise<{ readonly exitCode: number; readonly value: Readonly<Record<string, unknown>> }> {
  const { exitCode, stdout } = await run('--json', '-q', group, ...args);
  const value = JSON.parse(stdout) as Record<string, unknown>;
  const name = 'errors' in value ? 'error' : `ccp ${group} ${args[0]}`;
  expect(answerFaults(name, value)).toEqual([]);
  return { exitCode, value };
}

it('lists nothing before the first upload, and refuses verbs for an unknown application', async () => {
  expect(await run('application', 'list')).toEqual({
    exitCode: 0,
    stdout: 'fake has no applications\n',
    stderr: '',
  });
  const { exitCode, stderr } = await run('application', 'apply', 'example');
  expect([exitCode, stderr]).toEqual([
    7,
    'ccp: fake has no application example\n  -> list them with `ccp application list`, or upload a tarball\n',
  ]);
});

it('uploads a tarball', async () => {
  const { exitCode, value } = await answer('application', 'upload', path('example-0.tgz'));
  expect([exitCode, value]).toMatchObject([
    0,
    { name: 'example', version: '2026.1-0', state: 'uploaded' },
  ]);
  const again = await run('application', 'upload', path('example-0.tgz'));
  expect([again.exitCode, again.stderr]).toEqual([
    7,
    'ccp: example is uploaded: `ccp application upload` needs no application of this name\n  -> in this state use ccp application apply, ccp application delete\n',
  ]);
});

it('names roles without hosts, and labels hosts once they are locked', async () => {
  const missing = await run('application', 'apply', 'example');
  expect([missing.exitCode, missing.stderr]).toEqual([
    7,
    'ccp: no host has the role control-plane of example: none has openstack-control-plane=enabled or openstack-controller-node\n  -> assign the label: ccp host-label assign HOST openstack-control-plane=enabled\n',
  ]);
  const label = 'openstack-control-plane=enabled';
  const unlocked = await run('host-label', 'assign', 'one', label);
  expect([unlocked.exitCode, unlocked.stderr]).toEqual([
    7,
    'ccp: a change of the label openstack-control-plane needs a locked host, but one is unlocked: it is not cordoned\n  -> lock it: kubectl cordon one && kubectl drain one --ignore-daemonsets --delete-emptydir-data\n',
  ]);
  const cordon = (name: string, unschedulable: boolean): void =>
    void cluster.edit({ apiVersion: 'v1', kind: 'Node', name }, (node) => {
      node['spec'] = { unschedulable };
    });
  for (const [name, given] of [
    ['one', label],
    ['two', 'openstack-controller-node=x'],
  ] as const) {
    cordon(name, true);
    const { exitCode, value } = await answer('host-label', 'assign', name, given);
    expect([exitCode, value]).toMatchObject([0, { host: name, locked: true }]);
    cordon(name, false);
  }
  expect((await answer('application', 'show', 'example')).value['state']).toBe('uploaded');
});

it('changes overrides, and refuses overrides that the site does not accept', async () => {
  const set = ['--set', 'settings.memory=256'];
  const { exitCode, value } = await answer(
    ...(['helm-override', 'update', 'example', 'memcached'] as const),
    ...set,
  );
  expect([exitCode, value]).toMatchObject([
    0,
    { user: { settings: { memory: 256 } }, layers: { 'settings.memory': 'user' } },
  ]);
  const refused = await run('helm-override', 'update', 'example', 'memcached', '--set', 'memory=1');
  expect([refused.exitCode, refused.stderr]).toEqual([
    2,
    expect.stringContaining('example cannot be rendered with its overrides: '),
  ]);
  const unknown = await run('helm-override', 'show', 'example', 'keyston');
  expect([unknown.exitCode, unknown.stderr]).toEqual([
    2,
    'ccp: example has no chart keyston that accepts overrides\n  -> did you mean "keystone"?\n',
  ]);
});

it('applies with limits by hosts, writes credentials without a password, and calls hooks', async () => {
  const { port } = receiver.address() as AddressInfo;
  const { exitCode, value } = await answer(
    ...(['application', 'apply', 'example', '--hook', `cat > '${path('hook.json')}'`] as const),
    ...['--webhook', `http://127.0.0.1:${port}/`, '--webhook-key', path('hook.key')],
    ...['--credentials', path('credentials')],
  );
  expect([exitCode, value]).toMatchObject([0, { state: 'applied', revision: 1 }]);
  const replicas = cluster.store.get({
    ...{ apiVersion: 'apps/v1', kind: 'StatefulSet' },
    ...{ name: 'mariadb', namespace: 'openstack' },
  })?.['spec'] as { readonly replicas: number };
  expect(replicas.replicas).toBe(1);
  const shown = await answer('helm-override', 'show', 'example', 'mariadb');
  expect(shown.value).toMatchObject({
    system: { replicas: { mariadb: 1 } },
    layers: { 'replicas.mariadb': 'system' },
  });
  const openrc = readFileSync(path('credentials/openrc'), 'utf8');
  expect(openrc).toContain('export OS_AUTH_URL=https://identity.example.org/v3\n');
  expect(openrc).toContain(
    `OS_PASSWORD=$(kubectl --kubeconfig ${path('kubeconfig')} -n openstack get secret keystone-admin -o jsonpath='{.data.password}' | base64 -d)\n`,
  );
  expect(parse(readFileSync(path('credentials/clouds.yaml'), 'utf8'))).toMatchObject({
    clouds: { example: { auth: { auth_url: 'https://identity.example.org/v3' } } },
  });
  const [{ body, signature } = { body: '', signature: '' }] = posted;
  const mac = createHmac('sha256', 'a key of thirty-two characters..').update(body).digest('hex');
  expect(signature).toBe(`sha256=${mac}`);
  expect(JSON.parse(body)).toMatchObject({
    application: 'example',
    identity: { secret: { namespace: 'openstack', name: 'keystone-admin' } },
  });
  expect(JSON.parse(readFileSync(path('hook.json'), 'utf8'))).toEqual(JSON.parse(body));
});

it('updates, and rolls a failed update back', async () => {
  const { exitCode, value } = await answer('application', 'update', path('example-1.tgz'));
  expect([exitCode, value]).toMatchObject([0, { state: 'applied', version: '2026.1-1' }]);
  jobs = 'crashes';
  const failed = await answer('application', 'update', path('example-2.tgz'));
  jobs = 'well';
  expect([failed.exitCode, failed.value]).toMatchObject([
    7,
    {
      state: 'applied',
      version: '2026.1-1',
      reason: expect.stringMatching(
        /^the update to 2026\.1-2 failed and was rolled back: revision \d+ failed: Job\//,
      ) as string,
    },
  ]);
});

it('refuses a site that the operator reconciles', async () => {
  const resource = {
    ...{ apiVersion: 'ccp.openstack.org/v1alpha1', kind: 'OpenStackRelease' },
    ...{ name: 'example', namespace: 'openstack' },
  };
  cluster.store.put(resource, { object: { spec: {} }, owners: [] });
  for (const args of [
    ['apply', 'example'],
    ['update', path('example-2.tgz')],
    ['remove', 'example', '--yes'],
  ]) {
    const { exitCode, value } = await answer('application', ...args);
    expect([exitCode, value]).toMatchObject([7, { errors: [{ code: 'deploy-managed' }] }]);
  }
  const { value } = await answer('application', 'show', 'example');
  expect(value).toMatchObject({ state: 'applied', version: '2026.1-1' });
  await cluster.delete(resource);
});

it('removes and deletes', async () => {
  const unconfirmed = await run('application', 'remove', 'example');
  expect([unconfirmed.exitCode, unconfirmed.stderr]).toEqual([
    2,
    'ccp: nothing was removed: the removal of example was not confirmed\n  -> confirm it with --yes\n',
  ]);
  const removed = await answer('application', 'remove', 'example', '--yes');
  expect([removed.exitCode, removed.value]).toMatchObject([0, { state: 'uploaded' }]);
  const deleted = await answer('application', 'delete', 'example');
  expect(deleted).toEqual({ exitCode: 0, value: { name: 'example', deleted: true } });
  const { items } = await cluster.list(
    { apiVersion: 'v1', kind: 'ConfigMap' },
    { namespace: 'ccp-applications' },
  );
  expect(items).toEqual([]);
});

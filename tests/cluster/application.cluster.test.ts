import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LiveObject } from '#ports';
import { ccp } from '../helpers/ccp.ts';
import { killedAt } from '../helpers/cluster/killed-at.ts';
import { startExampleCluster } from '../helpers/cluster/example-site.ts';
import type { TestCluster } from '../helpers/cluster/start-test-cluster.ts';
import { EXAMPLE_IMAGES, exampleWorkspace } from '../helpers/example-workspace.ts';
import { missingImageSet } from '../helpers/missing-image-set.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

const CONTROL = 'openstack-control-plane=enabled';
let test: TestCluster;
let workspace: TestWorkspace;
const path = (name: string): string => join(workspace.root, name);
const run = async (...args: readonly string[]) =>
  await ccp(workspace.root, [...args, '--kubeconfig', test.kubeconfig, '--context', 'test']);

beforeAll(async () => {
  test = await startExampleCluster();
  ({ workspace } = exampleWorkspace());
  workspace.write('set.json', missingImageSet([...EXAMPLE_IMAGES, 'gate']));
  for (const number of ['0', '1']) {
    const file = path(`example-${number}.tgz`);
    const set = ['--set', path('set.json'), '--number', number, '-o', file];
    expect(await ccp(workspace.root, ['export', 'tarball', 'example', ...set])).toMatchObject({
      exitCode: 0,
    });
    const site = 'deploy-specs/example/site.yaml';
    const text = readFileSync(path(site), 'utf8');
    workspace.write(site, text.replace('debug: false', 'debug: true'));
  }
});
afterAll(async () => {
  workspace?.remove();
  await test?.stop();
});

/** Changes a node as `kubectl cordon` and `kubectl uncordon` do. */
async function cordon(name: string, unschedulable: boolean): Promise<void> {
  const node = (await test.cluster.get({ apiVersion: 'v1', kind: 'Node', name })) as LiveObject;
  const spec = { ...(node['spec'] as object), unschedulable };
  const { outcome } = await test.cluster.update({ ...node, spec }, { fieldManager: 'kubectl' });
  if (outcome !== 'updated') await cordon(name, unschedulable);
}

/** The replicas of a workload. */
async function replicas(kind: 'StatefulSet' | 'Deployment', name: string): Promise<unknown> {
  const ref = { apiVersion: 'apps/v1', kind, name, namespace: 'openstack' };
  return ((await test.cluster.get(ref))?.['spec'] as { readonly replicas: number } | undefined)
    ?.replicas;
}

it('moves labels of roles on locked hosts only', async () => {
  const refused = await run('host-label', 'remove', 'node-2', 'openstack-control-plane');
  expect([refused.exitCode, refused.stderr]).toEqual([
    7,
    expect.stringContaining('but node-2 is unlocked: it is not cordoned'),
  ]);
  await cordon('node-2', true);
  const removed = await run('host-label', 'remove', 'node-2', 'openstack-control-plane');
  expect([removed.exitCode, removed.stderr]).toEqual([0, '']);
  expect(removed.stdout).not.toContain(CONTROL);
  await cordon('node-2', false);
});

it('applies after it was killed, with replicas for two hosts of the role', async () => {
  const uploaded = await run('application', 'upload', path('example-0.tgz'));
  expect([uploaded.exitCode, uploaded.stderr]).toEqual([0, '']);
  expect(
    await killedAt('created StatefulSet/mariadb', workspace.root, [
      'application',
      'apply',
      'example',
      '--kubeconfig',
      test.kubeconfig,
      '--context',
      'test',
    ]),
  ).toBe('SIGKILL');
  const left = await run('application', 'show', 'example');
  expect(left.stdout).toMatch(/^example 2026\.1-0 is applying /);
  const applied = await run('application', 'apply', 'example');
  expect([applied.exitCode, applied.stderr]).toEqual([
    0,
    expect.stringContaining('example 2026.1-0 was left applying by '),
  ]);
  expect(applied.stdout).toContain('example: revision 1 is good, 12 of 12 steps done\n');
  expect(await replicas('StatefulSet', 'mariadb')).toBe(1);
  const listed = await run('application', 'list');
  expect(listed.stdout).toBe(
    'example 2026.1-0 is applied, site example in openstack, revision 1\n',
  );
});

it('gets more replicas when another host gets the role', async () => {
  await cordon('node-2', true);
  const undrained = await run('host-label', 'assign', 'node-2', CONTROL);
  if (undrained.exitCode !== 0) expect(undrained.stderr).toContain('not drained');
  const pods = await test.cluster.list(
    { apiVersion: 'v1', kind: 'Pod' },
    { fieldSelector: 'spec.nodeName=node-2' },
  );
  for (const { metadata } of pods.items)
    await test.cluster.delete({
      ...{ apiVersion: 'v1', kind: 'Pod' },
      ...{ name: metadata.name, namespace: metadata.namespace! },
    });
  await expect
    .poll(async () => (await run('host-label', 'assign', 'node-2', CONTROL)).exitCode, {
      timeout: 30_000,
    })
    .toBe(0);
  await cordon('node-2', false);
  const applied = await run('application', 'apply', 'example');
  expect([applied.exitCode, applied.stdout]).toEqual([
    0,
    expect.stringContaining('example 2026.1-0 is applied'),
  ]);
  expect(await replicas('StatefulSet', 'mariadb')).toBe(3);
});

it('updates with the overrides of users', async () => {
  const set = ['--set', 'replicas.api=2'];
  const changed = await run('helm-override', 'update', 'example', 'keystone', ...set);
  expect([changed.exitCode, changed.stderr]).toEqual([0, '']);
  const updated = await run('application', 'update', path('example-1.tgz'));
  expect(updated.exitCode, updated.stderr).toBe(0);
  expect(updated.stdout).toContain('example 2026.1-1 is applied');
  expect(await replicas('Deployment', 'keystone-api')).toBe(2);
});

it('removes the site and forgets the application', async () => {
  const removed = await run('application', 'remove', 'example', '--yes');
  expect([removed.exitCode, removed.stdout]).toEqual([
    0,
    expect.stringContaining('example 2026.1-1 is uploaded'),
  ]);
  expect(await replicas('Deployment', 'keystone-api')).toBeUndefined();
  const deleted = await run('application', 'delete', 'example');
  expect([deleted.exitCode, deleted.stdout]).toEqual([0, 'example is deleted\n']);
  expect((await run('application', 'list')).stdout).toBe('test has no applications\n');
});

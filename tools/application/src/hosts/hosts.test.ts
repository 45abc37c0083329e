import { beforeEach, expect, it } from 'vitest';
import { findingsIn, messageOf } from '#core';
import { fakeCluster, type FakeCluster } from '#ports/testing';
import { checkRoles } from './check-roles.ts';
import { assignLabels, listLabels, removeLabels } from './labels.ts';
import { readNodes } from './read-hosts.ts';

const NODE = { apiVersion: 'v1', kind: 'Node' };
let cluster: FakeCluster;
beforeEach(() => {
  cluster = fakeCluster();
  put('one', { 'openstack-control-plane': 'enabled' });
  put('two', {});
});

function put(name: string, labels: Readonly<Record<string, string>>, unschedulable = false): void {
  cluster.store.put(
    { ...NODE, name },
    { object: { metadata: { labels }, spec: { unschedulable } }, owners: [] },
  );
}

function putPod(name: string, metadata: object, phase = 'Running'): void {
  cluster.store.put(
    { apiVersion: 'v1', kind: 'Pod', name, namespace: 'cloud' },
    { object: { metadata, spec: { nodeName: 'two' }, status: { phase } }, owners: [] },
  );
}

const messageFrom = async (work: Promise<unknown>): Promise<string> =>
  await work.then(() => 'done', messageOf);
const how = { overwrite: false, records: [{ roles: { compute: ['our-compute'] } }] };

it('changes labels of roles on locked hosts only, in both spellings and those of a site', async () => {
  for (const label of [
    ...['openstack-control-plane=enabled', 'openstack-controller-node=x', 'openvswitch=enabled'],
    ...['openstack-compute-node=enabled', 'our-compute=x', 'kube-cpu-mgr-policy=static'],
  ])
    expect(await messageFrom(assignLabels(cluster, 'two', [label], how))).toBe(
      `a change of the label ${label.split('=')[0]} needs a locked host, but two is unlocked: it is not cordoned`,
    );
  expect(await assignLabels(cluster, 'two', ['rack=7'], how)).toEqual({
    host: 'two',
    locked: false,
    labels: { rack: '7' },
  });
  put('two', {}, true);
  const label = 'openstack-controller-node=x';
  expect(await assignLabels(cluster, 'two', [label], how)).toMatchObject({ locked: true });
});

it('is locked once kubectl drain has nothing to evict', async () => {
  put('two', {}, true);
  putPod('agent', { ownerReferences: [{ kind: 'DaemonSet', controller: true, name: 'x' }] });
  putPod('static', { annotations: { 'kubernetes.io/config.mirror': 'x' } });
  putPod('done', {}, 'Succeeded');
  expect((await listLabels(cluster, 'two')).locked).toBe(true);
  putPod('web-0', {});
  expect((await listLabels(cluster, 'two')).locked).toBe(false);
  const assigned = assignLabels(cluster, 'two', ['openvswitch=enabled'], how);
  expect(await messageFrom(assigned)).toBe(
    'a change of the label openvswitch needs a locked host, but two is unlocked: 1 of its pods are not drained, like web-0',
  );
});

it('keeps other values without overwrite', async () => {
  await assignLabels(cluster, 'two', ['rack=7'], how);
  expect(await messageFrom(assignLabels(cluster, 'two', ['rack=8'], how))).toBe(
    'two has the label rack=7',
  );
  const replaced = await assignLabels(cluster, 'two', ['rack=8'], { ...how, overwrite: true });
  expect(replaced.labels).toEqual({ rack: '8' });
  // The same value again changes nothing.
  expect(
    await assignLabels(cluster, 'one', ['openstack-control-plane=enabled'], how),
  ).toMatchObject({ locked: false });
});

it('removes labels', async () => {
  await assignLabels(cluster, 'two', ['rack=7'], how);
  const remove = (name: string, key: string) => removeLabels(cluster, name, [key], how.records);
  expect(await messageFrom(remove('one', 'openstack-control-plane'))).toMatch(/^a change of the /);
  expect(await messageFrom(remove('two', 'row'))).toBe('two has no label row');
  expect((await remove('two', 'rack')).labels).toEqual({});
});

it('refuses unknown hosts and invalid labels', async () => {
  expect(await messageFrom(listLabels(cluster, 'tow'))).toBe('fake has no host tow');
  for (const text of ['rack', '=7', 'rack=a b', 'a/b/c=1', '-x=1'])
    expect(await messageFrom(assignLabels(cluster, 'two', [text], how))).toBe(
      `${JSON.stringify(text)} is not a label`,
    );
});

it('repeats a change if somebody else has changed the host meanwhile', async () => {
  let stale = 2;
  const contested = {
    ...cluster,
    update: async (...args: Parameters<typeof cluster.update>) =>
      stale-- > 0 ? { outcome: 'stale' as const } : await cluster.update(...args),
  };
  expect((await assignLabels(contested, 'two', ['rack=7'], how)).labels).toEqual({ rack: '7' });
  stale = 9;
  expect(
    await messageFrom(
      assignLabels(contested, 'two', ['rack=8', 'a=b'], {
        ...how,
        overwrite: true,
      }),
    ),
  ).toBe('the labels of two were changed by others 5 times');
});

it('names roles without hosts, and hosts with mixed labels', async () => {
  const site = {
    site: { name: 'cloud', namespace: 'cloud' },
    roles: {
      control: ['openstack-control-plane=enabled', 'openstack-controller-node'],
      compute: ['openstack-compute-node=enabled', 'openstack-compute-node'],
      unused: ['x'],
    },
    needed: ['control', 'compute'],
  };
  put('one', { 'openstack-control-plane': 'disabled', 'openstack-controller-node': 'x' });
  const nodes = await readNodes(cluster);
  const texts = ((): readonly string[] => {
    try {
      checkRoles(site, nodes);
      return [];
    } catch (thrown) {
      return findingsIn(thrown).map(({ message, hint }) => `${message} (${hint})`);
    }
  })();
  expect(texts).toEqual([
    'the labels of one are mixed: openstack-controller-node gives it the role control, but openstack-control-plane=disabled does not (remove one of them: ccp host-label remove one openstack-control-plane)',
    'no host has the role compute of cloud: none has openstack-compute-node=enabled or openstack-compute-node (assign the label: ccp host-label assign HOST openstack-compute-node=enabled)',
  ]);
  put('one', { 'openstack-control-plane': 'enabled', 'openstack-compute-node': 'other' });
  checkRoles(site, await readNodes(cluster));
  checkRoles(site, []);
});

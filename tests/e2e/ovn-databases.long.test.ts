import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from './eventually.ts';
import { outputOf } from './output-of.ts';
import { openReplicas, type Replicas } from './replicas.ts';

// The northbound database on three pods; the southbound one differs from it by its schema alone.
let databases: Replicas;
const all = [0, 1, 2];
const LOCAL = ['--db=unix:/run/ovn/database.sock', '--no-leader-only', '--timeout=5'];

const status = async (ordinal: number): Promise<string> =>
  outputOf(databases.node(ordinal), ['ovs-appctl', '--timeout=5', '--target=/run/ovn/database.ctl', 'cluster/status', 'OVN_Northbound']);
/** Members that a member knows, by the ordinal of their pod. */
const members = async (ordinal: number): Promise<readonly number[]> =>
  [...(await status(ordinal)).matchAll(/ at tcp:ovn-northbound-(\d)\./g)].map(([, member]) => Number(member)).sort();
const switches = async (ordinal: number): Promise<readonly string[]> =>
  [...(await outputOf(databases.node(ordinal), ['ovn-nbctl', ...LOCAL, 'ls-list'])).matchAll(/\((.*)\)/g)].map(([, name]) => name!).sort();

/** Makes a switch by whichever member leads, as who knows all of them does; raises where it cannot. */
async function write(ordinal: number, name: string): Promise<void> {
  const servers = all.map((each) => `tcp:ovn-northbound-${each}.ovn-northbound-peers.openstack.svc.cluster.local:6641`).join(',');
  const { exitCode, stderr } = await databases.node(ordinal).exec(['ovn-nbctl', `--db=${servers}`, '--timeout=5', 'ls-add', name]);
  if (exitCode !== 0) throw new Error(stderr);
}

const probe = async (ordinal: number): Promise<number> => (await databases.node(ordinal).exec(['bash', '/etc/ccp/member.sh'])).exitCode;

beforeAll(async () => {
  databases = await openReplicas('ovn', 'northbound');
});

afterAll(async () => {
  await databases?.close();
});

test('three empty pods that start at once form one cluster', async () => {
  await databases.start(...all);
  await eventually(async () => expect(await Promise.all(all.map(members))).toEqual([all, all, all]));
  await write(0, 'first');
  await eventually(async () => expect(await switches(2)).toEqual(['first']));
});

test('the leader is killed and left behind, writes go on, and it rejoins with what it missed', async () => {
  const roles = await Promise.all(all.map(status));
  const leader = roles.findIndex((each) => each.includes('Role: leader'));
  const other = (leader + 1) % 3;
  await databases.kill(leader);
  const before = Date.now();
  await eventually(() => write(other, 'second'));
  console.log(`the first write after the leader was killed took ${Date.now() - before} ms`);
  await databases.start(leader);
  await eventually(async () => expect(await switches(leader)).toEqual(['first', 'second']));
});

test('a member that lost its copy, the founder too, joins again in the place of what it was', async () => {
  await outputOf(databases.node(0), ['sh', '-c', 'rm /var/lib/ovn/*.db']);
  await databases.kill(0);
  await databases.start(0);
  await eventually(async () => expect([await probe(0), await Promise.all(all.map(members))]).toEqual([0, [all, all, all]]));
  await eventually(async () => expect(await switches(0)).toEqual(['first', 'second']));
});

test('all of them come back after they were killed at once, and a member that is told to stop ends within two seconds', async () => {
  await databases.kill(...all);
  await databases.start(...all);
  await eventually(() => write(1, 'third'));
  const before = Date.now();
  await databases.node(1).signal('TERM');
  expect(await databases.node(1).wait()).toBe(143);
  expect(Date.now() - before).toBeLessThan(2000);
  await databases.start(1);
  await eventually(async () => expect(await switches(1)).toEqual(['first', 'second', 'third']));
});

test('members leave before their pods are taken away, and are members anew when they come again', async () => {
  const leave = databases.open.layOut('{ ovn: {} }').actions.find(({ id }) => id === 'ovn/leave-northbound')!.job;
  // What their probes do in a cluster, time and again.
  let leaving = true;
  const probes = (async () => {
    while (leaving) for (const ordinal of [1, 2]) await probe(ordinal);
  })();
  const { stdout } = await databases.open.pods.finish(leave, databases.place(0));
  leaving = false;
  await probes;
  expect(stdout.match(/ovn-northbound-\d\S* has left/g)).toHaveLength(2);
  await databases.kill(1, 2);
  expect(await members(0)).toEqual([0]);
  await write(0, 'fourth');
  await databases.start(1, 2);
  await eventually(async () => expect(await Promise.all(all.map(members))).toEqual([all, all, all]));
  await eventually(async () => expect(await switches(2)).toEqual(['first', 'fourth', 'second', 'third']));
});

import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../helpers/e2e/eventually.ts';
import { commandOutput } from '../helpers/e2e/command-output.ts';
import { openReplicas, type Replicas } from '../helpers/e2e/replicas.ts';

// The northbound database on three pods; the southbound database differs only in its schema.
let databases: Replicas;
const all = [0, 1, 2];
/** The grace period of the pods, after which a kubelet kills them. */
const GRACE_MS = 30_000;
const LOCAL = ['--db=unix:/run/ovn/database.sock', '--no-leader-only', '--timeout=5'];

const status = async (ordinal: number): Promise<string> =>
  commandOutput(databases.node(ordinal), [
    'ovs-appctl',
    '--timeout=5',
    '--target=/run/ovn/database.ctl',
    'cluster/status',
    'OVN_Northbound',
  ]);
/** Members in a member's view, by the ordinal of their pod. */
const members = async (ordinal: number): Promise<readonly number[]> =>
  [...(await status(ordinal)).matchAll(/ at tcp:ovn-northbound-(\d)\./g)]
    .map(([, member]) => Number(member))
    .sort();
const switches = async (ordinal: number): Promise<readonly string[]> =>
  [
    ...(await commandOutput(databases.node(ordinal), ['ovn-nbctl', ...LOCAL, 'ls-list'])).matchAll(
      /\((.*)\)/g,
    ),
  ]
    .map(([, name]) => name!)
    .sort();

/**
 * Creates a switch through the leading member, like a client that has the addresses of all. Throws
 * if it fails.
 */
async function write(ordinal: number, name: string): Promise<void> {
  const servers = all
    .map(
      (each) => `tcp:ovn-northbound-${each}.ovn-northbound-peers.openstack.svc.cluster.local:6641`,
    )
    .join(',');
  const { exitCode, stderr } = await databases
    .node(ordinal)
    .exec(['ovn-nbctl', `--db=${servers}`, '--timeout=5', 'ls-add', name]);
  if (exitCode !== 0) throw new Error(stderr);
}

const probe = async (ordinal: number): Promise<number> =>
  (await databases.node(ordinal).exec(['bash', '/etc/ccp/member.sh'])).exitCode;

beforeAll(async () => {
  databases = await openReplicas('ovn', 'northbound');
});

afterAll(async () => {
  await databases?.close();
});

it('forms one cluster from three empty pods that start together', async () => {
  await databases.start(...all);
  await eventually(async () =>
    expect(await Promise.all(all.map(members))).toEqual([all, all, all]),
  );
  await write(0, 'first');
  await eventually(async () => expect(await switches(2)).toEqual(['first']));
});

it('accepts writes after the leader is killed, and synchronises it when it rejoins', async () => {
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

it('rejoins a member that lost its copy as the same member, also the first one', async () => {
  await commandOutput(databases.node(0), ['sh', '-c', 'rm /var/lib/ovn/*.db']);
  await databases.kill(0);
  await databases.start(0);
  await eventually(async () =>
    expect([await probe(0), await Promise.all(all.map(members))]).toEqual([0, [all, all, all]]),
  );
  await eventually(async () => expect(await switches(0)).toEqual(['first', 'second']));
});

it('restarts after all members were killed together, and stops a member within the grace period', async () => {
  await databases.kill(...all);
  await databases.start(...all);
  await eventually(() => write(1, 'third'));
  const before = Date.now();
  await databases.node(1).signal('TERM');
  expect(await databases.node(1).wait()).toBe(143);
  expect(Date.now() - before).toBeLessThan(GRACE_MS);
  await databases.start(1);
  await eventually(async () => expect(await switches(1)).toEqual(['first', 'second', 'third']));
});

it('removes members before their pods are deleted, and adds them again with new pods', async () => {
  const leave = databases.open
    .layOut('{ ovn: {} }')
    .actions.find(({ id }) => id === 'ovn/leave-northbound')!.job;
  // Probes do the same in a cluster, repeatedly.
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
  await eventually(async () =>
    expect(await Promise.all(all.map(members))).toEqual([all, all, all]),
  );
  await eventually(async () =>
    expect(await switches(2)).toEqual(['first', 'fourth', 'second', 'third']),
  );
});

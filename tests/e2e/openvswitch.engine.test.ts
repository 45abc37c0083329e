import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningContainer } from '#ports';
import { openEngineSite, type EngineSite } from '../helpers/e2e/engine-site.ts';
import { eventually } from '../helpers/e2e/eventually.ts';
import { openNamespaces, type Namespace, type Namespaces } from '../helpers/e2e/namespaces.ts';
import { pingFrom } from '../helpers/e2e/ping.ts';

// The database and switch pods of a node. The switch forwards between two namespaces with its
// userspace datapath, because the kernel's datapath would be shared with this machine.
let open: EngineSite;
let namespaces: Namespaces;
let node: Namespace;
let left: Namespace;
let right: Namespace;
let vswitch: RunningContainer;

async function shell(...command: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await vswitch.exec(command);
  expect(exitCode, `${command.join(' ')}\n${stdout}${stderr}`).toBe(0);
  return stdout;
}

const ping = (address: string): Promise<number> => pingFrom(open, left, address);

beforeAll(async () => {
  open = await openEngineSite(['openvswitch'], '{ openvswitch: {} }');
  namespaces = openNamespaces(open.engine, open.imageOf('openstack-base'));
  [node, left, right] = [await namespaces.make(), await namespaces.make(), await namespaces.make()];
  node.link('left', left, 'eth0');
  node.link('right', right, 'eth0');
  left.ip('address', 'add', '10.254.1.1/24', 'dev', 'eth0');
  right.ip('address', 'add', '10.254.1.2/24', 'dev', 'eth0');
  await open.pods.start(open.object('DaemonSet', 'openvswitch-database'), {
    network: node.network,
  });
  vswitch = await open.pods.start(open.object('DaemonSet', 'openvswitch-switch'), {
    network: node.network,
    shared: ['/dev/net/tun'],
  });
});

afterAll(async () => {
  await namespaces?.close();
  await open?.close();
});

it('does not forward packets without a bridge', async () => {
  expect(await ping('10.254.1.1')).toBe(0);
  expect(await ping('10.254.1.2')).toBe(1);
});

it('forwards between two ports of a bridge', async () => {
  await shell(
    'ovs-vsctl',
    '--timeout=20',
    'add-br',
    'br0',
    '--',
    'set',
    'bridge',
    'br0',
    'datapath_type=netdev',
    '--',
    'add-port',
    'br0',
    'left',
    '--',
    'add-port',
    'br0',
    'right',
  );
  expect(await shell('ovs-appctl', 'dpif/show')).toContain('netdev@ovs-netdev');
  await eventually(async () => expect(await ping('10.254.1.2')).toBe(0), 30);
});

it('applies flows', async () => {
  await shell('ovs-ofctl', 'add-flow', 'br0', 'priority=10,icmp,actions=drop');
  expect(await ping('10.254.1.2')).toBe(1);
  await shell('ovs-ofctl', '--strict', 'del-flows', 'br0', 'priority=10,icmp');
  expect(await ping('10.254.1.2')).toBe(0);
});

it('restores its bridge from the database after a restart', async () => {
  await vswitch.signal('TERM');
  expect(await vswitch.wait()).toBe(143);
  expect(await ping('10.254.1.2')).toBe(1);
  vswitch = await open.pods.start(open.object('DaemonSet', 'openvswitch-switch'), {
    network: node.network,
    shared: ['/dev/net/tun'],
  });
  await eventually(async () => expect(await ping('10.254.1.2')).toBe(0), 30);
});

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningContainer } from '#ports';
import { openEngineSite, type EngineSite } from './engine-site.ts';
import { eventually } from './eventually.ts';
import { openNamespaces, type Namespace, type Namespaces } from './namespaces.ts';

// The pods of a node with its database and its switch, which forwards between two namespaces by its own datapath: that of the
// kernel would be this machine's.
const PING = `
import os, socket, struct, sys

def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    total = (total >> 16) + (total & 0xffff)
    return ~(total + (total >> 16)) & 0xffff

unsigned = struct.pack("!BBHHH", 8, 0, 0, 7, 1) + b"a probe!"
echo = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
echo.settimeout(3)
echo.sendto(unsigned[:2] + struct.pack("!H", checksum(unsigned)) + unsigned[4:], (sys.argv[1], 0))
try:
    while True:
        answer = echo.recv(1500)[20:]
        if answer[0] == 0:
            sys.exit(0 if answer[4:] == unsigned[4:] else 2)
except TimeoutError:
    sys.exit(1)
`;

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

/** Exit code of one ping from `left`: 0 where the answer came, 1 where none did. */
const ping = async (address: string): Promise<number> =>
  (await open.engine.run({ image: open.imageOf('openstack-base'), entrypoint: ['python3', '-c', PING, address], command: [], network: left.network, capDrop: ['ALL'], capAdd: ['NET_RAW'] })).exitCode;

beforeAll(async () => {
  open = await openEngineSite(['openvswitch'], '{ openvswitch: {} }');
  namespaces = openNamespaces(open.engine, open.imageOf('openstack-base'));
  [node, left, right] = [await namespaces.make(), await namespaces.make(), await namespaces.make()];
  node.link('left', left, 'eth0');
  node.link('right', right, 'eth0');
  left.ip('address', 'add', '10.254.1.1/24', 'dev', 'eth0');
  right.ip('address', 'add', '10.254.1.2/24', 'dev', 'eth0');
  await open.pods.start(open.object('DaemonSet', 'openvswitch-database'), { network: node.network });
  vswitch = await open.pods.start(open.object('DaemonSet', 'openvswitch-switch'), { network: node.network, shared: ['/dev/net/tun'] });
});

afterAll(async () => {
  await namespaces?.close();
  await open?.close();
});

test('nothing passes before there is a bridge', async () => {
  expect(await ping('10.254.1.1')).toBe(0);
  expect(await ping('10.254.1.2')).toBe(1);
});

test('a bridge with two ports forwards between them', async () => {
  await shell('ovs-vsctl', '--timeout=20', 'add-br', 'br0', '--', 'set', 'bridge', 'br0', 'datapath_type=netdev', '--', 'add-port', 'br0', 'left', '--', 'add-port', 'br0', 'right');
  expect(await shell('ovs-appctl', 'dpif/show')).toContain('netdev@ovs-netdev');
  await eventually(async () => expect(await ping('10.254.1.2')).toBe(0), 30);
});

test('it does what flows say', async () => {
  await shell('ovs-ofctl', 'add-flow', 'br0', 'priority=10,icmp,actions=drop');
  expect(await ping('10.254.1.2')).toBe(1);
  await shell('ovs-ofctl', '--strict', 'del-flows', 'br0', 'priority=10,icmp');
  expect(await ping('10.254.1.2')).toBe(0);
});

test('the switch started again finds its bridge in the database', async () => {
  await vswitch.signal('TERM');
  expect(await vswitch.wait()).toBe(143);
  expect(await ping('10.254.1.2')).toBe(1);
  vswitch = await open.pods.start(open.object('DaemonSet', 'openvswitch-switch'), { network: node.network, shared: ['/dev/net/tun'] });
  await eventually(async () => expect(await ping('10.254.1.2')).toBe(0), 30);
});

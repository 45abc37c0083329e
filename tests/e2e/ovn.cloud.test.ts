import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningContainer } from '#ports';
import { openEngineSite, type EngineSite } from '../helpers/e2e/engine-site.ts';
import { eventually } from '../helpers/e2e/eventually.ts';
import { openNamespaces, type Namespace, type Namespaces } from '../helpers/e2e/namespaces.ts';
import { runOpenstack } from '../helpers/e2e/run-openstack.ts';
import { commandOutput } from '../helpers/e2e/command-output.ts';
import { pingFrom } from '../helpers/e2e/ping.ts';
import { NODE, type PodPlace } from '../helpers/e2e/pod-runner.ts';
import { runSiteSteps } from '../helpers/e2e/run-site-steps.ts';

// Networks of neutron with OVN, on a node whose switch has a userspace datapath.
/**
 * Disables checksum offload of eth0 (ETHTOOL_STXCSUM in ethtool.h): the userspace datapath does not
 * fill in checksums.
 */
const FILL_CHECKSUMS = `
import array, fcntl, socket, struct
value = array.array("B", struct.pack("II", 0x17, 0))
fcntl.ioctl(socket.socket(), 0x8946, struct.pack("16sP16x", b"eth0", value.buffer_info()[0]))
`;
/** Response of the node's metadata service. */
const ASK_METADATA = `
import http.client
connection = http.client.HTTPConnection("169.254.169.254", timeout=5)
connection.request("GET", "/openstack")
print(connection.getresponse().status)
`;
const ONE = 'processes: 1';
const APPS: Readonly<Record<string, string>> = {
  mariadb: '',
  memcached: '',
  rabbitmq: '',
  keystone: `settings: { ${ONE} }`,
  neutron: `settings: { ${ONE} }`,
  openvswitch: '',
  ovn: 'settings: { datapath: netdev }',
  openstackclient: '',
};

let open: EngineSite;
let namespaces: Namespaces;
let running: ReadonlyMap<string, RunningContainer>;

const output = (workload: string, ...command: readonly string[]): Promise<string> =>
  commandOutput(running.get(workload)!, command);
const openstack = (...args: readonly string[]): Promise<Record<string, unknown>> =>
  runOpenstack(running.get('openstackclient')!, args);
const northbound = (...command: readonly string[]): Promise<string> =>
  output(
    'ovn-northbound',
    'ovn-nbctl',
    '--db=unix:/run/ovn/database.sock',
    '--timeout=10',
    ...command,
  );
const southbound = (...command: readonly string[]): Promise<string> =>
  output(
    'ovn-southbound',
    'ovn-sbctl',
    '--db=unix:/run/ovn/database.sock',
    '--timeout=10',
    ...command,
  );
const placeOf = ({
  metadata,
}: {
  readonly metadata: { readonly name: string };
}): Partial<PodPlace> => ({
  shared: metadata.name === 'openvswitch-switch' ? ['/dev/net/tun'] : [],
});

/** A namespace connected to a port of the node, in place of a server. */
interface Plugged {
  readonly namespace: Namespace;
  readonly port: string;
  readonly address: string;
}

/** Output of a program in a namespace; empty if it fails. */
async function python(
  { network }: Namespace,
  program: string,
  ...capAdd: readonly string[]
): Promise<string> {
  const { exitCode, stdout } = await open.engine.run({
    image: open.imageOf('openstack-base'),
    entrypoint: ['python3', '-c', program],
    command: [],
    network,
    capDrop: ['ALL'],
    capAdd,
  });
  return exitCode === 0 ? stdout.trim() : '';
}

async function plug(name: string): Promise<Plugged> {
  const port = (await openstack(
    'port',
    'create',
    '--network',
    'private',
    '--host',
    NODE,
    name,
  )) as {
    id: string;
    mac_address: string;
    binding_vif_type: string;
    fixed_ips: readonly { ip_address: string }[];
  };
  expect(port.binding_vif_type).toBe('ovs');
  const address = port.fixed_ips[0]!.ip_address;
  const namespace = await namespaces.make();
  namespaces.of(open.pods.network).link(name, namespace, 'eth0');
  namespace.ip('link', 'set', 'eth0', 'address', port.mac_address);
  namespace.ip('address', 'add', `${address}/24`, 'dev', 'eth0');
  await python(namespace, FILL_CHECKSUMS, 'NET_ADMIN');
  await output(
    'openvswitch-switch',
    'ovs-vsctl',
    '--timeout=20',
    'add-port',
    'br-int',
    name,
    '--',
    'set',
    'interface',
    name,
    `external_ids:iface-id=${port.id}`,
  );
  return { namespace, port: port.id, address };
}

/** Milliseconds from SIGTERM to the exit of a workload. */
async function stopTime(workload: string): Promise<number> {
  const before = Date.now();
  await running.get(workload)!.signal('TERM');
  await running.get(workload)!.wait();
  return Date.now() - before;
}

let left: Plugged;
let right: Plugged;

const ping = (): Promise<number> => pingFrom(open, left.namespace, right.address);

beforeAll(async () => {
  open = await openEngineSite(
    Object.keys(APPS),
    `{ ${Object.entries(APPS)
      .map(([name, settings]) => `${name}: { ${settings} }`)
      .join(', ')} }`,
  );
  namespaces = openNamespaces(open.engine, open.imageOf('openstack-base'));
  running = await runSiteSteps(
    open.site.steps.filter(({ id }) => id !== 'secrets'),
    open.pods,
    placeOf,
  );
});

afterAll(async () => {
  await namespaces?.close();
  await open?.close();
});

it('runs no Open vSwitch agents, and the node is a chassis', async () => {
  expect([...running.keys()].filter((name) => name.startsWith('neutron-')).sort()).toEqual([
    'neutron-api',
    'neutron-ovn-maintenance',
    'neutron-ovn-metadata',
    'neutron-periodic',
  ]);
  expect(await southbound('--bare', '--columns=hostname', 'list', 'chassis')).toBe(NODE);
  await eventually(async () => {
    const agents = (await openstack('network', 'agent', 'list')) as unknown as {
      'Agent Type': string;
      Host: string;
      Alive: boolean;
    }[];
    expect(
      agents.map((agent) => `${agent['Agent Type']} ${agent.Host} ${agent.Alive}`).sort(),
    ).toEqual([`OVN Controller agent ${NODE} true`, `OVN Metadata agent ${NODE} true`]);
  });
});

it('binds ports of a network to the chassis and activates them', async () => {
  await openstack('network', 'create', 'private');
  await openstack(
    'subnet',
    'create',
    '--network',
    'private',
    '--subnet-range',
    '10.0.0.0/24',
    'private',
  );
  [left, right] = [await plug('left'), await plug('right')];
  expect(
    await northbound('--bare', '--columns=name', 'list', 'logical_switch_port', left.port),
  ).toBe(left.port);
  for (const { port } of [left, right])
    await eventually(async () =>
      expect(await openstack('port', 'show', port)).toMatchObject({
        status: 'ACTIVE',
        binding_host_id: NODE,
      }),
    );
  expect(
    await southbound(
      '--bare',
      '--columns=chassis',
      'find',
      'port_binding',
      `logical_port=${left.port}`,
    ),
  ).toBe(await southbound('--bare', '--columns=_uuid', 'list', 'chassis'));
});

it('connects ports with OVN flows as their security groups allow', async () => {
  await eventually(async () => expect(await ping()).toBe(0), 60);
  await output('openstackclient', 'openstack', 'port', 'set', '--no-security-group', right.port);
  await eventually(async () => expect(await ping()).toBe(1), 60);
});

it('serves metadata on the node, and returns none for a port without a server', async () => {
  const [metadata] = (await openstack(
    'port',
    'list',
    '--network',
    'private',
    '--device-owner',
    'network:distributed',
  )) as unknown as {
    'Fixed IP Addresses': { ip_address: string }[];
  }[];
  left.namespace.ip(
    'route',
    'add',
    '169.254.169.254/32',
    'via',
    metadata!['Fixed IP Addresses'][0]!.ip_address,
  );
  await eventually(async () => expect(await python(left.namespace, ASK_METADATA)).toBe('404'), 90);
});

it('keeps forwarding without its controller, which applies missed changes after a restart', async () => {
  expect(await stopTime('ovn-controller')).toBeLessThan(2000);
  await output(
    'openstackclient',
    'openstack',
    'port',
    'set',
    '--security-group',
    'default',
    right.port,
  );
  expect(await ping()).toBe(1);
  await open.pods.start(open.object('DaemonSet', 'ovn-controller'));
  await eventually(async () => expect(await ping()).toBe(0), 60);
});

it('has a standby northd that takes over from the first one', async () => {
  const second = await open.pods.start(open.object('Deployment', 'ovn-northd'));
  const status = (): Promise<string> =>
    commandOutput(second, ['ovn-appctl', '--timeout=5', '--target=/run/ovn/northd.ctl', 'status']);
  expect(await status()).toBe('Status: standby');
  expect(await stopTime('ovn-northd')).toBeLessThan(2000);
  await eventually(async () => expect(await status()).toBe('Status: active'), 30);
});

it('stops all workloads on SIGTERM', async () => {
  const workloads = [
    'neutron-ovn-metadata',
    'neutron-ovn-maintenance',
    'neutron-periodic',
    'neutron-api',
    'ovn-southbound',
    'ovn-northbound',
    'openvswitch-switch',
    'openvswitch-database',
  ];
  const times: Record<string, number> = {};
  for (const workload of workloads) times[workload] = await stopTime(workload);
  console.log(times);
  expect(Math.max(...Object.values(times)), JSON.stringify(times)).toBeLessThan(20_000);
});

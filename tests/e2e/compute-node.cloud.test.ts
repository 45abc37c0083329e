import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KubernetesObject, RunningContainer } from '#ports';
import { openEngineSite, type EngineSite } from '../helpers/e2e/engine-site.ts';
import { eventually } from '../helpers/e2e/eventually.ts';
import { runOpenstack } from '../helpers/e2e/run-openstack.ts';
import { commandOutput } from '../helpers/e2e/command-output.ts';
import type { PodPlace } from '../helpers/e2e/pod-runner.ts';
import { runSiteSteps } from '../helpers/e2e/run-site-steps.ts';

// A cloud whose node runs emulated servers on a switch with a userspace datapath: the machine's
// kernel supports neither KVM nor OVS.
/** Steps that are not needed: the Secrets exist already. */
const LEFT_OUT = ['secrets', 'nova/workload/console'];
const GREETING = 'a server of the cloud is up\r\n';

/**
 * A disk whose first sector writes the greeting to the first serial port and halts. It has a
 * partition because nova requires one.
 */
function bootDisk(): Buffer {
  const disk = Buffer.alloc(1 << 20);
  const code = [
    0x31, 0xc0, 0x8e, 0xd8, 0xbe, 0x15, 0x7c, 0xac, 0x84, 0xc0, 0x74, 0x06, 0xba, 0xf8, 0x03, 0xee,
    0xeb, 0xf5, 0xf4, 0xeb, 0xfd,
  ];
  Buffer.from(code).copy(disk);
  disk.write(GREETING, code.length, 'latin1');
  Buffer.from([0x80, 0, 2, 0, 0x83, 0, 32, 0, 1, 0, 0, 0, 0xff, 7, 0, 0]).copy(disk, 446);
  disk.writeUInt16LE(0xaa55, 510);
  return disk;
}

const ONE = 'processes: 1';
const APPS: Readonly<Record<string, string>> = {
  mariadb: '',
  memcached: '',
  rabbitmq: '',
  keystone: `settings: { ${ONE} }`,
  glance: `settings: { ${ONE} }`,
  placement: `settings: { ${ONE} }`,
  neutron: `settings: { ${ONE}, rpc-workers: 1 }, config: { agent.ini: { ovs: { datapath_type: netdev } } }`,
  nova: `settings: { ${ONE}, conductor-workers: 1, scheduler-workers: 1, virt-type: qemu }`,
  openvswitch: '',
  libvirt: '',
  openstackclient: '',
};

let open: EngineSite;
let running: ReadonlyMap<string, RunningContainer>;

const output = (workload: string, ...command: readonly string[]): Promise<string> =>
  commandOutput(running.get(workload)!, command);

const openstack = (...args: readonly string[]): Promise<Record<string, unknown>> =>
  runOpenstack(running.get('openstackclient')!, args);

const SHARED: Readonly<Record<string, readonly string[]>> = {
  libvirt: ['/dev', '/sys/fs/cgroup'],
  'openvswitch-switch': ['/dev/net/tun'],
  'nova-compute': ['/dev/pts'],
};
const placeOf = ({
  metadata,
}: {
  readonly metadata: { readonly name: string };
}): Partial<PodPlace> => ({ shared: SHARED[metadata.name] ?? [] });

beforeAll(async () => {
  open = await openEngineSite(
    Object.keys(APPS),
    `{ ${Object.entries(APPS)
      .map(([name, settings]) => `${name}: { ${settings} }`)
      .join(', ')} }`,
  );
  running = await runSiteSteps(
    open.site.steps.filter(({ id }) => !LEFT_OUT.includes(id)),
    open.pods,
    placeOf,
  );
});

afterAll(async () => {
  await open?.close();
});

interface Server {
  readonly status: string;
  readonly fault?: unknown;
}

/** The server after its creation has succeeded or failed. */
async function builtServer(name: string): Promise<Server> {
  return eventually(async () => {
    const server = await openstack('server', 'show', name);
    if (server['status'] === 'BUILD')
      throw new Error(`${name} is still built: ${JSON.stringify(server)}`);
    return server as unknown as Server;
  }, 300);
}

/** Errors in the logs of services. */
async function complaints(...workloads: readonly string[]): Promise<string> {
  const logs = await Promise.all(
    workloads.map(async (name) =>
      (await running.get(name)!.logs())
        .split('\n')
        .filter((line) => / (WARNING|ERROR) /.test(line))
        .slice(-20),
    ),
  );
  return workloads.map((name, index) => `${name}:\n${logs[index]!.join('\n')}`).join('\n');
}

it('boots a server on its network as soon as all steps are done', async () => {
  await running
    .get('openstackclient')!
    .exec(['sh', '-c', 'base64 -d > /tmp/disk'], { stdin: bootDisk().toString('base64') });
  await Promise.all([
    openstack(
      'image',
      'create',
      '--disk-format',
      'raw',
      '--container-format',
      'bare',
      '--file',
      '/tmp/disk',
      'greeter',
    ),
    openstack('network', 'create', 'private').then(() =>
      openstack(
        'subnet',
        'create',
        '--network',
        'private',
        '--subnet-range',
        '10.0.0.0/24',
        'private',
      ),
    ),
    openstack('flavor', 'create', '--ram', '64', '--disk', '1', '--vcpus', '1', 'tiny'),
  ]);
  await openstack(
    'server',
    'create',
    '--image',
    'greeter',
    '--flavor',
    'tiny',
    '--network',
    'private',
    'first',
  );
  const server = await builtServer('first');
  if (server.status !== 'ACTIVE') {
    const errors = await complaints(
      'nova-scheduler',
      'nova-conductor',
      'nova-compute',
      'neutron-rpc',
      'neutron-openvswitch-agent',
    );
    throw new Error(`the server is ${server.status}: ${JSON.stringify(server.fault)}\n${errors}`);
  }
  await eventually(async () =>
    expect(
      await output('openstackclient', 'openstack', 'console', 'log', 'show', 'first'),
    ).toContain(GREETING.trim()),
  );
});

it('serves the network with its agents, and connects the router to the DHCP server', async () => {
  await openstack('router', 'create', 'way-out');
  await output('openstackclient', 'openstack', 'router', 'add', 'subnet', 'way-out', 'private');
  const ports = async (): Promise<
    readonly { readonly Owner: string; readonly Status: string; readonly Address: string }[]
  > =>
    (
      (await openstack('port', 'list', '--network', 'private', '--long')) as unknown as {
        'Device Owner': string;
        Status: string;
        'Fixed IP Addresses': { ip_address: string }[];
      }[]
    ).map((port) => ({
      Owner: port['Device Owner'],
      Status: port.Status,
      Address: port['Fixed IP Addresses'][0]!.ip_address,
    }));
  const wired = ['compute:nova ACTIVE', 'network:dhcp ACTIVE', 'network:router_interface ACTIVE'];
  await eventually(
    async () =>
      expect((await ports()).map(({ Owner, Status }) => `${Owner} ${Status}`).sort()).toEqual(
        wired,
      ),
    240,
  );
  const server = (await ports()).find(({ Owner }) => Owner === 'network:dhcp')!.Address;
  // A port is connected before its router has moved it to its namespace and set its address.
  await eventually(async () => {
    const namespace = /qrouter-\S+/.exec(await output('neutron-l3', 'ip', 'netns', 'list'))![0];
    const device = /qr-[0-9a-f-]+/.exec(
      await output('neutron-l3', 'ip', 'netns', 'exec', namespace, 'ip', '-brief', 'link'),
    )![0];
    expect(
      await output(
        'neutron-l3',
        'ip',
        'netns',
        'exec',
        namespace,
        'arping',
        '-c',
        '3',
        '-I',
        device,
        server,
      ),
    ).toContain('Unicast reply from');
  });
});

it('stops agents and the switch within their grace period', async () => {
  for (const workload of [
    'neutron-dhcp',
    'neutron-l3',
    'neutron-metadata',
    'neutron-openvswitch-agent',
    'openvswitch-switch',
    'openvswitch-database',
  ]) {
    const { spec } = open.object('DaemonSet', workload) as KubernetesObject & {
      readonly spec: {
        readonly template: { readonly spec: { readonly terminationGracePeriodSeconds: number } };
      };
    };
    const before = Date.now();
    await running.get(workload)!.signal('TERM');
    await running.get(workload)!.wait();
    const took = Date.now() - before;
    console.log(`${workload} took ${took} ms to end`);
    expect(took, workload).toBeLessThan(spec.template.spec.terminationGracePeriodSeconds * 1000);
  }
});

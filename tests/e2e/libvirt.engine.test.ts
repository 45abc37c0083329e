import { afterAll, beforeAll, expect, it } from 'vitest';
import type { RunningContainer } from '#ports';
import { openEngineSite, type EngineSite } from '../helpers/e2e/engine-site.ts';
import { eventually } from '../helpers/e2e/eventually.ts';

// The pod of a compute node, with an emulated server.
const DOMAIN = `<domain type="qemu"><name>probe</name><memory unit="MiB">32</memory>
<os><type arch="x86_64" machine="q35">hvm</type></os>
<devices><disk type="file" device="disk"><driver name="qemu" type="qcow2"/><source file="/var/lib/nova/probe.qcow2"/><target dev="vda" bus="virtio"/></disk><graphics type="vnc"/></devices></domain>`;

let open: EngineSite;
let libvirt: RunningContainer;

async function shell(command: string, stdin?: string): Promise<string> {
  const { exitCode, stdout, stderr } = await libvirt.exec(
    ['bash', '-ec', command],
    stdin === undefined ? {} : { stdin },
  );
  expect(
    exitCode,
    `${command}\n${stdout}${stderr}\n${exitCode === 0 ? '' : await libvirt.logs()}`,
  ).toBe(0);
  return stdout.trim();
}

const start = async (): Promise<void> => {
  libvirt = await open.pods.start(open.object('DaemonSet', 'libvirt'), {
    shared: ['/dev', '/sys/fs/cgroup'],
  });
};

beforeAll(async () => {
  open = await openEngineSite(['libvirt'], '{ libvirt: {} }');
  await start();
});

afterAll(async () => {
  await open?.close();
});

it('runs a server as the owner of its disk', async () => {
  await shell('qemu-img create -f qcow2 /var/lib/nova/probe.qcow2 16M');
  await shell('virsh define /dev/stdin && virsh start probe', DOMAIN);
  expect(await shell('virsh domstate probe')).toBe('running');
  expect(await shell('stat --format %u /proc/$(cat /run/libvirt/qemu/probe.pid)')).toBe('42436');
  expect(await shell('virsh vncdisplay probe')).toBe('127.0.0.1:0');
  await shell('virsh nodedev-list && virsh secret-list');
});

it('keeps the definition of a server after the pod is deleted', async () => {
  await libvirt.signal('TERM');
  expect(await libvirt.wait()).toBe(0);
  await start();
  await eventually(async () => expect(await shell('virsh list --all --name')).toBe('probe'), 20);
});

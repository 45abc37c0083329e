import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CcpError } from '#core';
import { runProgram } from '../run-program.ts';
import type { NodeFolders } from './node-folders.ts';
import { LINK_PREFIX, type NodeNames } from './node-names.ts';

const LINK_MS = 20_000;

/**
 * Folders with a path that is fixed in programs or used by pods for persistent data. They hide the
 * machine's folders.
 */
export const MOUNT_POINTS = ['/var/lib/kubelet', '/var/lib/cni', '/var/lib/ccp'] as const;

/**
 * Kernel settings that the kubelet requires. It reads them from files, so that the machine's
 * settings do not change.
 */
const KERNEL_SETTINGS = {
  'vm/overcommit_memory': 1,
  'vm/panic_on_oom': 0,
  'kernel/panic': 10,
  'kernel/panic_on_oops': 1,
};

/** Creates the mounts of a node in this process's mount namespace; they are not visible outside. */
export async function prepareMounts({ data }: NodeFolders): Promise<void> {
  const bind = async (from: string, onto: string) =>
    await runProgram('mount', ['--bind', from, onto]);
  await runProgram('mount', ['--make-rshared', '/']);
  for (const point of ['/var/log', ...MOUNT_POINTS]) {
    const own = join(data, point.slice(1).replaceAll('/', '-'));
    mkdirSync(own, { recursive: true, mode: 0o755 });
    await bind(own, point);
  }
  await runProgram('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'ccp', '/run']);
  mkdirSync('/run/lock');
  for (const [name, value] of Object.entries(KERNEL_SETTINGS)) {
    const own = join(data, name.replaceAll('/', '.'));
    writeFileSync(own, `${value}\n`);
    await bind(own, `/proc/sys/${name}`);
  }
}

/**
 * Sets up the network of a node in this process's network namespace. Waits until the link is in it.
 * The only route leads to the machine. Throws `cluster-failed` if the link does not appear.
 */
export async function prepareNetwork({ innerLink, node }: NodeNames): Promise<void> {
  const ip = async (...args: readonly string[]) => await runProgram('ip', args);
  await ip('link', 'set', 'lo', 'up');
  const linkUp = (): Promise<boolean> =>
    ip('link', 'set', innerLink, 'up').then(
      () => true,
      () => false,
    );
  for (const until = Date.now() + LINK_MS; !(await linkUp()); await delay(50)) {
    if (Date.now() > until)
      throw new CcpError({
        code: 'cluster-failed',
        message: `the network link ${innerLink} was not created within ${LINK_MS / 1000} s`,
      });
  }
  await ip('address', 'add', `${node}/${LINK_PREFIX}`, 'dev', innerLink);
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
  writeFileSync('/proc/sys/net/bridge/bridge-nf-call-iptables', '1');
}

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CcpError } from '#core';
import { runCommand } from '../run-command.ts';
import type { NodeFolders } from './node-folders.ts';
import { LINK_PREFIX, type NodeNames } from './node-names.ts';

const LINK_MS = 20_000;

/** Folders whose path a program has built in or a pod keeps what outlives it in, and which the machine's own are hidden by. */
export const MOUNT_POINTS = ['/var/lib/kubelet', '/var/lib/cni', '/var/lib/ccp'] as const;

/** What the kubelet wants of settings that belong to the whole machine; it reads them from files and leaves the machine's alone. */
const KERNEL_SETTINGS = { 'vm/overcommit_memory': 1, 'vm/panic_on_oom': 0, 'kernel/panic': 10, 'kernel/panic_on_oops': 1 };

/** Makes the mounts of a node in this process's own mount namespace: nothing of them shows outside. */
export async function prepareMounts({ data }: NodeFolders): Promise<void> {
  const bind = async (from: string, onto: string) => await runCommand('mount', ['--bind', from, onto]);
  await runCommand('mount', ['--make-rshared', '/']);
  for (const point of ['/var/log', ...MOUNT_POINTS]) {
    const own = join(data, point.slice(1).replaceAll('/', '-'));
    mkdirSync(own, { recursive: true, mode: 0o755 });
    await bind(own, point);
  }
  await runCommand('mount', ['-t', 'tmpfs', '-o', 'mode=755', 'ccp', '/run']);
  mkdirSync('/run/lock');
  for (const [name, value] of Object.entries(KERNEL_SETTINGS)) {
    const own = join(data, name.replaceAll('/', '.'));
    writeFileSync(own, `${value}\n`);
    await bind(own, `/proc/sys/${name}`);
  }
}

/**
 * Sets up the network of a node in this process's own network namespace, once the machine has put the link into it. There is no
 * route but to the machine itself. Raises `cluster-failed` where the link does not come.
 */
export async function prepareNetwork({ innerLink, node }: NodeNames): Promise<void> {
  const ip = async (...args: readonly string[]) => await runCommand('ip', args);
  await ip('link', 'set', 'lo', 'up');
  const linkUp = (): Promise<boolean> =>
    ip('link', 'set', innerLink, 'up').then(
      () => true,
      () => false,
    );
  for (const until = Date.now() + LINK_MS; !(await linkUp()); await delay(50)) {
    if (Date.now() > until) throw new CcpError({ code: 'cluster-failed', message: `the link ${innerLink} did not come` });
  }
  await ip('address', 'add', `${node}/${LINK_PREFIX}`, 'dev', innerLink);
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
  writeFileSync('/proc/sys/net/bridge/bridge-nf-call-iptables', '1');
}

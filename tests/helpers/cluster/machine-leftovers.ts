import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Resources that a cluster could leave on the machine. They are equal before and after if it leaves
 * none. `folder` is the cluster's folder.
 */
export function machineLeftovers(folder: string): object {
  const run = (program: string, ...args: readonly string[]): string =>
    execFileSync(program, args, { encoding: 'utf8' });
  const cgroups = '/sys/fs/cgroup';
  const groups = [
    cgroups,
    ...readdirSync(cgroups, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(cgroups, name)),
  ];
  const links = readdirSync('/sys/class/net').filter((name) => name.startsWith('ccp-'));
  // Clusters share the mount points, and the last one removes them.
  const points = links.length > 0 ? [] : ['/var/lib/kubelet', '/var/lib/cni', '/var/lib/ccp'];
  return {
    processes: readdirSync('/proc')
      .filter((pid) => /^\d+$/.test(pid) && commandLine(pid).includes(folder))
      .map(commandLine),
    mounts: readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .filter((line) => line.includes(folder) || line.includes(' /var/lib/kubelet')),
    links,
    routes: run('ip', 'route')
      .split('\n')
      .filter((line) => line.includes('ccp-')),
    rules: run('iptables-save')
      .split('\n')
      .filter((line) => /KUBE|CNI/.test(line)),
    groups: groups.flatMap((group) =>
      readdirSync(group).filter((name) => name.startsWith('ccp-node')),
    ),
    folders: [...points, '/run/containerd/io.containerd.runtime.v2.task/k8s.io', folder].filter(
      (path) => existsSync(path),
    ),
  };
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

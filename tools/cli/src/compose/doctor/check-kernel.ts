import type { MachineFinding } from '../../report/doctor-text.ts';

/** Text of a file; undefined if it does not exist or is not readable. */
export type ReadText = (path: string) => string | undefined;

/** Namespaces of containers, by the limit of the kernel for each. */
const NAMESPACES = ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'uts'];

/** Controllers of control groups that limit containers. */
const CONTROLLERS = ['cpu', 'memory', 'pids'];

/** Kernel features that engines and local clusters need. */
export function checkKernel(readTextFile: ReadText): readonly MachineFinding[] {
  return [checkOverlay(readTextFile), checkCgroups(readTextFile), checkNamespaces(readTextFile)];
}

function checkOverlay(readTextFile: ReadText): MachineFinding {
  const check = 'overlayfs';
  const names = (readTextFile('/proc/filesystems') ?? '').split('\n').map((line) => line.trim());
  if (names.some((line) => /(?:^|\s)overlay$/.test(line)))
    return { check, outcome: 'ok', detail: 'the kernel has overlayfs' };
  return {
    check,
    outcome: 'warning',
    detail: 'overlayfs is not loaded; without it every layer is a full copy',
    hint: 'run as root: modprobe overlay',
  };
}

function checkCgroups(readTextFile: ReadText): MachineFinding {
  const check = 'cgroups';
  const text = readTextFile('/sys/fs/cgroup/cgroup.controllers');
  if (text !== undefined) {
    const present = text.trim().split(/\s+/);
    const missing = CONTROLLERS.filter((name) => !present.includes(name));
    if (missing.length === 0)
      return { check, outcome: 'ok', detail: 'version 2, with all controllers that are needed' };
    return {
      check,
      outcome: 'failed',
      detail: `version 2, without the controllers ${missing.join(', ')}`,
      hint: 'remove "cgroup_disable" from the kernel command line; in a container, delegate the controllers to it',
    };
  }
  const rows = (readTextFile('/proc/cgroups') ?? '').split('\n').map((line) => line.split('\t'));
  const enabled = rows.filter((row) => row[3] === '1').map(([name]) => name);
  const missing = CONTROLLERS.filter((name) => !enabled.includes(name));
  if (missing.length === 0)
    return {
      check,
      outcome: 'warning',
      detail: 'version 1; engines and Kubernetes are ending their support for it',
      hint: 'boot with systemd.unified_cgroup_hierarchy=1 on the kernel command line',
    };
  return {
    check,
    outcome: 'failed',
    detail: `the controllers ${missing.join(', ')} are missing`,
    hint: 'mount control groups version 2 at /sys/fs/cgroup',
  };
}

function checkNamespaces(readTextFile: ReadText): MachineFinding {
  const check = 'namespaces';
  const limits = NAMESPACES.map((name) => ({
    name,
    limit: readTextFile(`/proc/sys/user/max_${name}_namespaces`)?.trim(),
  }));
  const named = (wanted: string | undefined): string =>
    limits
      .filter(({ limit }) => limit === wanted)
      .map(({ name }) => name)
      .join(', ');
  const first = limits.find(({ limit }) => limit === '0');
  if (first !== undefined)
    return {
      check,
      outcome: 'failed',
      detail: `the kernel allows no namespaces of these kinds: ${named('0')}`,
      hint: `run as root: sysctl user.max_${first.name}_namespaces=10000`,
    };
  if (named(undefined) === '')
    return { check, outcome: 'ok', detail: `the kernel has ${NAMESPACES.join(', ')}` };
  return {
    check,
    outcome: 'warning',
    detail: `the limits of these namespaces cannot be read: ${named(undefined)}`,
    hint: 'use a kernel with namespaces, like that of Debian; ignore this in a container',
  };
}

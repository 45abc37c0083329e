import { describe, expect, it } from 'vitest';
import { CcpError } from '#core';
import { doctorText } from '../../report/doctor-text.ts';
import { checkClock } from './check-clock.ts';
import { checkDisk, type UsedFolder } from './check-disk.ts';
import { checkEngine, type EngineReaders } from './check-engine.ts';
import { checkKernel } from './check-kernel.ts';
import { checkMirrors, mirrorUrls, type MirrorProbe } from './check-mirrors.ts';
import { checkHostPorts, type PortReaders } from './check-ports.ts';
import { guarded } from './guarded.ts';

describe('checkEngine', () => {
  const text = async (changed: Partial<EngineReaders>): Promise<string> =>
    doctorText(
      await checkEngine({
        findEngines: async () => ({ endpoints: [], unreachable: [] }),
        isRoot: true,
        hasDockerd: () => true,
        ...changed,
      }),
    );

  it('names the engines that respond', async () => {
    const findEngines = async () => ({ endpoints: ['unix:///a', 'unix:///b'], unreachable: [] });
    expect(await text({ findEngines })).toBe(`ok  engine  unix:///a responds
ok  engine  unix:///b responds

2 checks: 2 ok`);
  });

  it('fails for a configured engine that does not respond', async () => {
    const findEngines = async () => ({ endpoints: ['unix:///a'], unreachable: ['unix:///b'] });
    expect(await text({ findEngines }))
      .toBe(`failed  engine  the configured engine unix:///b does not respond
                -> start the engine, or fix DOCKER_HOST or "engines" in the settings

1 check: 1 failed`);
  });

  it('needs root for a private engine', async () => {
    expect(await text({ isRoot: false }))
      .toBe(`failed  engine  no engine responds, and only root can start a private engine
                -> run as root, or set DOCKER_HOST to a running engine

1 check: 1 failed`);
  });

  it('explains how a private engine starts, with and without its package', async () => {
    expect(await text({})).toBe(`ok  engine  no engine runs; \`ccp build\` starts a private engine

1 check: 1 ok`);
    expect(await text({ hasDockerd: () => false }))
      .toBe(`warning  engine  the Debian package docker.io is not installed
                 -> run \`ccp build --yes\`, which installs it, or set DOCKER_HOST to a running engine

1 check: 1 warning`);
  });
});

describe('checkDisk', () => {
  const FOLDERS: readonly UsedFolder[] = [
    { purpose: 'images', folder: '/srv/cloud/.ccp', hint: 'move the workspace' },
    { purpose: 'inputs', folder: '/cache', hint: 'set CCP_CACHE' },
  ];

  it('reports each file system once', () => {
    expect(doctorText(checkDisk(FOLDERS, () => ({ device: 1, freeBytes: 40e9 }))))
      .toBe(`ok  disk  40.0 GB free in /srv/cloud/.ccp (images, inputs)

1 check: 1 ok`);
  });

  it('warns of little space, and fails below the size of the inputs and images', () => {
    const spaceOf = (folder: string) =>
      folder === '/cache' ? { device: 2, freeBytes: 1.5e9 } : { device: 1, freeBytes: 4e9 };
    expect(doctorText(checkDisk(FOLDERS, spaceOf)))
      .toBe(`warning  disk  4.0 GB free in /srv/cloud/.ccp (images); builds and a local cluster need up to 12.0 GB
               -> free space with \`ccp clean\` and \`ccp cache prune\`; move the workspace
failed   disk  1.5 GB free in /cache (inputs); builds and a local cluster need up to 12.0 GB
               -> free space with \`ccp clean\` and \`ccp cache prune\`; set CCP_CACHE

2 checks: 1 warning, 1 failed`);
  });
});

describe('checkKernel', () => {
  const FILES: Readonly<Record<string, string>> = {
    '/proc/filesystems': 'nodev\tproc\nnodev\toverlay\n\text4\n',
    '/sys/fs/cgroup/cgroup.controllers': 'cpuset cpu io memory pids\n',
    ...Object.fromEntries(
      ['cgroup', 'ipc', 'mnt', 'net', 'pid', 'uts'].map((name) => [
        `/proc/sys/user/max_${name}_namespaces`,
        '127000\n',
      ]),
    ),
  };
  const text = (changed: Readonly<Record<string, string | undefined>>): string =>
    doctorText(checkKernel((path) => ({ ...FILES, ...changed })[path]));

  it('accepts a kernel like that of Debian', () => {
    expect(text({})).toBe(`ok  overlayfs   the kernel has overlayfs
ok  cgroups     version 2, with all controllers that are needed
ok  namespaces  the kernel has cgroup, ipc, mnt, net, pid, uts

3 checks: 3 ok`);
  });

  it('warns of slower or older features', () => {
    const cgroups = ['cpu', 'memory', 'pids'].map((name) => `${name}\t3\t1\t1`).join('\n');
    expect(
      text({
        '/proc/filesystems': 'nodev\toverlayfoo\n',
        '/sys/fs/cgroup/cgroup.controllers': undefined,
        '/proc/cgroups': `#subsys_name\thierarchy\tnum_cgroups\tenabled\n${cgroups}\n`,
        '/proc/sys/user/max_net_namespaces': undefined,
      }),
    ).toBe(`warning  overlayfs   overlayfs is not loaded; without it every layer is a full copy
                     -> run as root: modprobe overlay
warning  cgroups     version 1; engines and Kubernetes are ending their support for it
                     -> boot with systemd.unified_cgroup_hierarchy=1 on the kernel command line
warning  namespaces  the limits of these namespaces cannot be read: net
                     -> use a kernel with namespaces, like that of Debian; ignore this in a container

3 checks: 3 warning`);
  });

  it('fails without controllers and namespaces', () => {
    const failed = `failed  namespaces  the kernel allows no namespaces of these kinds: mnt, pid
                    -> run as root: sysctl user.max_mnt_namespaces=10000

3 checks: 1 ok, 2 failed`;
    const namespaces = {
      '/proc/sys/user/max_mnt_namespaces': '0\n',
      '/proc/sys/user/max_pid_namespaces': '0\n',
    };
    expect(text({ ...namespaces, '/sys/fs/cgroup/cgroup.controllers': 'cpu\n' }))
      .toBe(`ok      overlayfs   the kernel has overlayfs
failed  cgroups     version 2, without the controllers memory, pids
                    -> remove "cgroup_disable" from the kernel command line; in a container, delegate the controllers to it
${failed}`);
    expect(text({ ...namespaces, '/sys/fs/cgroup/cgroup.controllers': undefined }))
      .toBe(`ok      overlayfs   the kernel has overlayfs
failed  cgroups     the controllers cpu, memory, pids are missing
                    -> mount control groups version 2 at /sys/fs/cgroup
${failed}`);
  });
});

describe('checkPorts', () => {
  const text = async (changed: Partial<PortReaders>): Promise<string> =>
    doctorText(
      await checkHostPorts({
        lastPort: () => 41000,
        tryPort: async () => undefined,
        addresses: () => [
          { name: 'lo', address: '127.0.0.1' },
          { name: 'ccp-3', address: '10.251.12.1' },
        ],
        ...changed,
      }),
    );

  it('accepts free ports and the addresses of own clusters', async () => {
    expect(await text({})).toBe(`ok  ports      the image store's port 41000 on 127.0.0.1 is free
ok  addresses  10.251.0.0/16 is free for \`ccp up\`

2 checks: 2 ok`);
    expect(await text({ lastPort: () => undefined }))
      .toBe(`ok  ports      the image store can listen on 127.0.0.1
ok  addresses  10.251.0.0/16 is free for \`ccp up\`

2 checks: 2 ok`);
  });

  it('warns of a used port and of used addresses', async () => {
    expect(
      await text({
        tryPort: async () => 'EADDRINUSE',
        addresses: () => [{ name: 'eth1', address: '10.251.0.9' }],
      }),
    )
      .toBe(`warning  ports      the image store's port 41000 on 127.0.0.1 is in use by a running build or by another program
                    -> if no build runs, end the other program; else the next build takes another port
warning  addresses  eth1 has the address 10.251.0.9; \`ccp up\` uses 10.251.0.0/16
                    -> give eth1 another address, or use another cluster with --context

2 checks: 2 warning`);
  });

  it('fails without a loopback interface', async () => {
    expect(await text({ tryPort: async () => 'EADDRNOTAVAIL' }))
      .toBe(`failed  ports      the image store cannot listen on 127.0.0.1 (EADDRNOTAVAIL)
                   -> bring the loopback interface up: ip link set lo up
ok      addresses  10.251.0.0/16 is free for \`ccp up\`

2 checks: 1 ok, 1 failed`);
  });
});

describe('checkMirrors', () => {
  it('uses the mirrors of the settings only, each once', () => {
    expect(
      mirrorUrls({
        debian: ['http://a.test/debian'],
        debianSecurity: ['http://a.test/debian'],
        python: ['http://b.test/simple'],
        git: { 'https://c.test/': 'file:///mirror', 'https://d.test/': 'https://e.test/git/' },
      }),
    ).toEqual(['http://a.test/debian', 'http://b.test/simple', 'https://e.test/git/']);
    expect(mirrorUrls()).toEqual([]);
    expect(doctorText(checkMirrors([])))
      .toBe(`ok  mirrors  the settings have no mirrors; those of apt, pip, npm and Go are used

1 check: 1 ok`);
  });

  it('judges the answers, without their credentials', () => {
    const statuses = [200, 404, 403, 407, 503].map((status) => ({
      url: `http://me:word@s${status}.test/`,
      status,
      date: undefined,
    }));
    const probes: readonly MirrorProbe[] = [
      ...statuses,
      { url: 'http://f.test/', fault: 'ENOTFOUND' },
    ];
    expect(doctorText(checkMirrors(probes))).toBe(`ok       mirrors  http://***@s200.test/ responds
ok       mirrors  http://***@s404.test/ responds
warning  mirrors  http://***@s403.test/ refuses the request with status 403
                  -> ignore this if only files below the URL can be read; else check the credentials
warning  mirrors  http://***@s407.test/ refuses the request with status 407
                  -> put the credentials into the proxy variables
failed   mirrors  http://***@s503.test/ fails with status 503
                  -> try again later, or use another mirror
failed   mirrors  http://f.test/ does not respond: ENOTFOUND
                  -> check the network and the proxy variables, or fix "mirrors" in the settings

6 checks: 2 ok, 2 warning, 2 failed`);
  });
});

describe('checkClock', () => {
  const now = new Date('2026-04-01T12:00:00.000Z');
  const at = (minutes: number): Date => new Date(now.getTime() + minutes * 60_000);
  const text = (installed: Date, ...dates: readonly (Date | undefined)[]): string =>
    doctorText([
      checkClock({
        now,
        installed,
        probes: [
          { url: 'http://x.test/', fault: 'ENOTFOUND' },
          ...dates.map((date, index) => ({ url: `http://m${index}.test/`, status: 200, date })),
        ],
      }),
    ]);

  it('compares the clock with the closest mirror', () => {
    expect(text(at(-60), at(90), undefined, at(4)))
      .toBe(`ok  clock  2026-04-01T12:00:00Z, as on http://m2.test/

1 check: 1 ok`);
    expect(text(at(-60), at(7)))
      .toBe(`failed  clock  2026-04-01T12:00:00Z is 7 min 0 s behind http://m0.test/
               -> set the clock, or start a time service such as systemd-timesyncd

1 check: 1 failed`);
    expect(text(at(-60), at(-61)))
      .toBe(`failed  clock  2026-04-01T12:00:00Z is 1 h 1 min ahead of http://m0.test/
               -> set the clock, or start a time service such as systemd-timesyncd

1 check: 1 failed`);
  });

  it('compares the clock with the files of the tool', () => {
    expect(text(at(-60))).toBe(`ok  clock  2026-04-01T12:00:00Z; no mirror to compare it with

1 check: 1 ok`);
    expect(text(at(60), at(0)))
      .toBe(`failed  clock  2026-04-01T12:00:00Z is before the time when the files of ccp were written
               -> set the clock, or start a time service such as systemd-timesyncd

1 check: 1 failed`);
  });
});

it('turns an error of a check into a failed finding', async () => {
  const fault = { code: 'usage', message: 'no folder', hint: 'set CCP_CACHE' };
  expect(await guarded('disk', () => Promise.reject(new CcpError(fault)))).toEqual([
    { check: 'disk', outcome: 'failed', detail: 'no folder', hint: 'set CCP_CACHE' },
  ]);
  const other = new Error('EIO: i/o error, statfs');
  expect(await guarded('disk', () => Promise.reject(other))).toEqual([
    { check: 'disk', outcome: 'failed', detail: 'EIO: i/o error, statfs' },
  ]);
});

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { ccp, REPOSITORY } from '../helpers/ccp.ts';

let folder: string;
/** A PATH without any Node. */
let bare: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-launcher-'));
  bare = join(folder, 'bin');
  mkdirSync(bare);
  for (const tool of ['dirname', 'mkdir', 'readlink'])
    symlinkSync(join('/usr/bin', tool), join(bare, tool));
});

it('explains to an older Node how to run Nx', async () => {
  const old = join(folder, 'old.cjs');
  writeFileSync(
    old,
    `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });\nrequire(${JSON.stringify(join(REPOSITORY, 'tools/nx-plugin/plugin.cjs'))});\n`,
  );
  const { stderr } = spawnSync(process.execPath, [old], { encoding: 'utf8' });
  expect(stderr).toContain(
    'Error: Node 20.20.2 cannot load this plugin: run ./ccp nx, which installs Node 24, or put Node 24.14 or later on the PATH',
  );
});

it('uses the home folder of the system for the cache if HOME is not set', () => {
  const { HOME: _, CCP_CACHE: __, XDG_CACHE_HOME: ___, ...env } = process.env;
  const said = (path: string): readonly (string | number | null)[] => {
    const { status, stderr } = spawnSync(
      '/bin/sh',
      ['-c', '. "$bootstrap/bootstrap.sh"; echo "$HOME" >&2'],
      {
        cwd: REPOSITORY,
        env: { ...env, root: REPOSITORY, bootstrap: join(REPOSITORY, 'ci'), PATH: path },
        encoding: 'utf8',
      },
    );
    return [status, stderr];
  };
  expect(said(`${dirname(process.execPath)}:${process.env['PATH']}`)).toEqual([
    0,
    `${userInfo().homedir}\n`,
  ]);
  expect(said(bare)).toEqual([
    2,
    'ccp: no folder for the cache: HOME is not set, and the system has no home folder for this user\n  -> set HOME, or CCP_CACHE to a folder for the cache\n',
  ]);
});

it.each(['127.0.0.1:3128', 'http://', 'socks5://127.0.0.1:1'])(
  'http_proxy=%s is of no matter where no network is used',
  async (proxy) => {
    expect(
      await ccp(REPOSITORY, ['graph', 'memcached'], { http_proxy: proxy, https_proxy: proxy }),
    ).toMatchObject({ exitCode: 0, stderr: '' });
  },
);

it('reports a deleted current folder', () => {
  const gone = join(folder, 'gone');
  mkdirSync(gone);
  const { status, stderr } = spawnSync(
    '/bin/sh',
    ['-c', 'rmdir "$0"; exec "$1" graph', gone, join(REPOSITORY, 'ccp')],
    { cwd: gone, encoding: 'utf8' },
  );
  expect([status, stderr]).toEqual([
    2,
    expect.stringMatching(
      /^ccp: the current folder was deleted\n  -> change to an existing folder$/m,
    ),
  ]);
});

it.each([
  ['none', [], 'cmp'],
  [
    'only the programs that compare files',
    ['cmp', 'mkdir'],
    'flock, cp, mv, rm, touch, dirname, grep, sed, tail, sleep, du',
  ],
])('reports a PATH with %s of the required programs', (_, has, missing) => {
  const [root, programs] = [
    mkdtempSync(join(folder, 'root-')),
    mkdtempSync(join(folder, 'programs-')),
  ];
  writeFileSync(join(root, 'package-lock.json'), '{}');
  symlinkSync(process.execPath, join(programs, 'node'));
  for (const tool of has) symlinkSync(join('/usr/bin', tool), join(programs, tool));
  const env = {
    ...process.env,
    root,
    bootstrap: join(REPOSITORY, 'ci'),
    CCP_CACHE: join(folder, 'none'),
    PATH: programs,
  };
  const { status, stderr } = spawnSync('/bin/sh', ['-euc', '. "$bootstrap/bootstrap.sh"'], {
    cwd: REPOSITORY,
    env,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    5,
    `ccp: not found in PATH (${programs}): ${missing}\n  -> add /usr/bin and /bin to it; Debian has them in coreutils, diffutils, grep, sed and util-linux\n`,
  ]);
});

it('reports a tree without write access before it installs npm packages', () => {
  // No user can create a folder there.
  const env = {
    ...process.env,
    root: '/sys',
    bootstrap: join(REPOSITORY, 'ci'),
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  };
  const { status, stderr } = spawnSync('/bin/sh', ['-euc', '. "$bootstrap/bootstrap.sh"'], {
    cwd: REPOSITORY,
    env,
    encoding: 'utf8',
  });
  expect([status, stderr]).toEqual([
    5,
    'ccp: cannot write /sys, where npm packages must be installed\n  -> grant this user write access, or work in another clone\n',
  ]);
});

it('reports an unreachable npm registry before it installs packages', () => {
  const root = join(folder, 'root');
  const programs = join(folder, 'programs');
  for (const path of [root, programs]) mkdirSync(path);
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(
    join(programs, 'npm'),
    '#!/bin/sh\n[ "$1" = view ] && echo "npm error code ECONNREFUSED" >&2\nexit 1\n',
    { mode: 0o755 },
  );
  symlinkSync(process.execPath, join(programs, 'node'));
  const env = {
    ...process.env,
    root,
    bootstrap: join(REPOSITORY, 'ci'),
    CCP_CACHE: join(folder, 'none'),
    PATH: `${programs}:${process.env['PATH']}`,
  };
  const { status, stderr } = spawnSync('/bin/sh', ['-euc', '. "$bootstrap/bootstrap.sh"'], {
    cwd: REPOSITORY,
    env,
    encoding: 'utf8',
  });
  expect(stderr).toBe(
    'ccp: installing npm packages from package-lock.json\nnpm error code ECONNREFUSED\nccp: the npm registry does not respond correctly\n  -> see: npm config get registry; set a mirror with npm_config_registry or in ~/.npmrc, a proxy with HTTPS_PROXY\n',
  );
  expect(status).toBe(5);
});

it.each<[string, number, readonly string[], () => Record<string, string>, string]>([
  [
    'a relative cache',
    2,
    ['cache'],
    () => ({ CCP_CACHE: 'rel' }),
    'ccp: the cache folder is not an absolute path: rel\n  -> set CCP_CACHE to an absolute path\n',
  ],
  [
    'Node missing where nothing may be fetched',
    5,
    ['fetch', '--offline'],
    () => ({ CCP_CACHE: `${folder}/new`, PATH: bare }),
    'is not in the cache FOLDER/new, but --offline forbids fetching it\n  -> run ./ccp fetch once with a network, or share a cache that has it (CCP_CACHE)\n',
  ],
  [
    'a cache folder that cannot be created',
    5,
    ['plan'],
    () => ({ CCP_CACHE: `${REPOSITORY}/ccp/x`, PATH: bare }),
    '\n  -> give this user the right to write there, or set CCP_CACHE to another folder\n',
  ],
  [
    'a cache below /proc, which Node would try to make for ever',
    2,
    ['cache'],
    () => ({
      CCP_CACHE: '/proc/x',
      NODE_COMPILE_CACHE: '',
      PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    }),
    "ccp: the cache folder cannot be created in the kernel's /proc: /proc/x\n",
  ],
])('%s', async (_, exitCode, args, env, text) => {
  const result = await ccp(REPOSITORY, args, env());
  expect(result.stderr.replaceAll(folder, 'FOLDER')).toContain(text);
  expect(result.exitCode).toBe(exitCode);
});

it('runs neither Node nor its compiled code in a cache that others can write to', () => {
  const cache = mkdtempSync(join(folder, 'cache-'));
  const program = join(cache, 'node/24.19.0/bin/node');
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, '#!/bin/sh\necho replaced\n', { mode: 0o755 });
  const used = (): readonly string[] => {
    const { stdout } = spawnSync(
      '/bin/sh',
      ['-euc', '. "$bootstrap/bootstrap.sh"; echo "$CCP_NODE $NODE_COMPILE_CACHE"'],
      {
        env: {
          ...process.env,
          root: REPOSITORY,
          bootstrap: join(REPOSITORY, 'ci'),
          CCP_CACHE: cache,
          NODE_COMPILE_CACHE: '',
        },
        encoding: 'utf8',
      },
    );
    return stdout.trim().split(' ');
  };
  expect(used()).toEqual([program, join(cache, 'compile')]);
  for (const at of [cache, dirname(program), program]) {
    chmodSync(at, 0o777);
    expect([at, used().filter((path) => path.startsWith(cache))]).toEqual([at, []]);
    chmodSync(at, 0o755);
  }
});

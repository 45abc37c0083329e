import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ccp, REPOSITORY } from '../support/ccp.ts';

let folder: string;
/** A PATH without any Node. */
let bare: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-launcher-'));
  bare = join(folder, 'bin');
  mkdirSync(bare);
  for (const tool of ['dirname', 'mkdir', 'readlink']) symlinkSync(join('/usr/bin', tool), join(bare, tool));
});

test('an older Node is told how to run Nx', async () => {
  const old = join(folder, 'old.cjs');
  writeFileSync(
    old,
    `Object.defineProperty(process.versions, 'node', { value: '20.20.2' });\nrequire(${JSON.stringify(join(REPOSITORY, 'tools/nx-plugin/plugin.cjs'))});\n`,
  );
  const { stderr } = spawnSync(process.execPath, [old], { encoding: 'utf8' });
  expect(stderr).toContain('Error: Node 20.20.2 cannot load this plugin: run ./ccp nx, which brings Node 24, or put Node 24.14 or later on the PATH');
});

test('without HOME, the cache is in the home that the system has for this user', () => {
  const { HOME: _, CCP_CACHE: __, XDG_CACHE_HOME: ___, ...env } = process.env;
  const said = (path: string): readonly (string | number | null)[] => {
    const { status, stderr } = spawnSync('/bin/sh', ['-c', '. ci/bootstrap.sh; echo "$HOME" >&2'], {
      cwd: REPOSITORY,
      env: { ...env, root: REPOSITORY, PATH: path },
      encoding: 'utf8',
    });
    return [status, stderr];
  };
  expect(said(`${dirname(process.execPath)}:${process.env['PATH']}`)).toEqual([0, `${userInfo().homedir}\n`]);
  expect(said(bare)).toEqual([
    2,
    'ccp: there is no place for the cache: HOME is not set, and the system knows no home of this user\n  -> set HOME, or CCP_CACHE to a folder for the cache\n',
  ]);
});

test.each(['127.0.0.1:3128', 'http://', 'socks5://127.0.0.1:1'])('http_proxy=%s is of no matter where no network is used', async (proxy) => {
  expect(await ccp(REPOSITORY, ['graph', 'memcached'], { http_proxy: proxy, https_proxy: proxy })).toMatchObject({ exitCode: 0, stderr: '' });
});

test('a current folder that is gone is told', () => {
  const gone = join(folder, 'gone');
  mkdirSync(gone);
  const { status, stderr } = spawnSync('/bin/sh', ['-c', `rmdir ${gone}; exec ${REPOSITORY}/ccp graph`], { cwd: gone, encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, expect.stringMatching(/^ccp: the current folder is no longer there\n  -> change to one that is$/m)]);
});

test.each([
  ['none', [], 'cmp'],
  ['those that compare alone', ['cmp', 'mkdir'], 'flock, cp, mv, dirname, grep, sed, tail, sleep, du'],
])('a PATH with %s of the programs that the launcher needs is told', (_, has, missing) => {
  const [root, programs] = [mkdtempSync(join(folder, 'root-')), mkdtempSync(join(folder, 'programs-'))];
  writeFileSync(join(root, 'package-lock.json'), '{}');
  symlinkSync(process.execPath, join(programs, 'node'));
  for (const tool of has) symlinkSync(join('/usr/bin', tool), join(programs, tool));
  const env = { ...process.env, root, CCP_CACHE: join(folder, 'none'), PATH: programs };
  const { status, stderr } = spawnSync('/bin/sh', ['-euc', '. ci/bootstrap.sh'], { cwd: REPOSITORY, env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    5,
    `ccp: not on the PATH (${programs}): ${missing}\n  -> add /usr/bin and /bin to it; Debian has them in coreutils, diffutils, grep, sed and util-linux\n`,
  ]);
});

test('a tree that this user may not write to is told before npm packages are installed in it', () => {
  // Nobody may make a folder there.
  const env = { ...process.env, root: '/sys', PATH: `${dirname(process.execPath)}:${process.env['PATH']}` };
  const { status, stderr } = spawnSync('/bin/sh', ['-euc', '. ci/bootstrap.sh'], { cwd: REPOSITORY, env, encoding: 'utf8' });
  expect([status, stderr]).toEqual([
    5,
    'ccp: cannot write /sys, where npm packages must be installed\n  -> give this user the right to write there, or work in a clone of its own\n',
  ]);
});

test('a registry of npm that cannot be reached is told before anything is installed', () => {
  const root = join(folder, 'root');
  const programs = join(folder, 'programs');
  for (const path of [root, programs]) mkdirSync(path);
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(join(programs, 'npm'), '#!/bin/sh\n[ "$1" = view ] && echo "npm error code ECONNREFUSED" >&2\nexit 1\n', { mode: 0o755 });
  symlinkSync(process.execPath, join(programs, 'node'));
  const env = { ...process.env, root, CCP_CACHE: join(folder, 'none'), PATH: `${programs}:${process.env['PATH']}` };
  const { status, stderr } = spawnSync('/bin/sh', ['-euc', '. ci/bootstrap.sh'], { cwd: REPOSITORY, env, encoding: 'utf8' });
  expect(stderr).toBe(
    "ccp: installing npm packages from package-lock.json\nnpm error code ECONNREFUSED\nccp: npm's registry does not answer as it should\n  -> see: npm config get registry; name a mirror by npm_config_registry or in ~/.npmrc, a proxy by HTTPS_PROXY\n",
  );
  expect(status).toBe(5);
});

test.each<[string, number, readonly string[], () => Record<string, string>, string]>([
  [
    'a relative cache',
    2,
    ['cache'],
    () => ({ CCP_CACHE: 'rel' }),
    "ccp: the cache's folder is not an absolute path: rel\n  -> set CCP_CACHE to one that starts with /\n",
  ],
  [
    'Node missing where nothing may be fetched',
    5,
    ['fetch', '--offline'],
    () => ({ CCP_CACHE: `${folder}/new`, PATH: bare }),
    'is not in the cache FOLDER/new, and --offline keeps it from being fetched\n  -> run ./ccp fetch once with a network, or share a cache that has it (CCP_CACHE)\n',
  ],
  [
    'a cache that cannot be made',
    5,
    ['plan'],
    () => ({ CCP_CACHE: `${REPOSITORY}/ccp/x`, PATH: bare }),
    '\n  -> give this user the right to write there, or set CCP_CACHE to another folder\n',
  ],
  [
    'a cache below /proc, which Node would try to make for ever',
    2,
    ['cache'],
    () => ({ CCP_CACHE: '/proc/x', NODE_COMPILE_CACHE: '', PATH: `${dirname(process.execPath)}:${process.env['PATH']}` }),
    "ccp: the cache's folder cannot be made in the kernel's /proc: /proc/x\n",
  ],
])('%s', async (_, exitCode, args, env, text) => {
  const result = await ccp(REPOSITORY, args, env());
  expect(result.stderr.replaceAll(folder, 'FOLDER')).toContain(text);
  expect(result.exitCode).toBe(exitCode);
});

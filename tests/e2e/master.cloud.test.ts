import { execFileSync } from 'node:child_process';
import { createWriteStream, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { imageName, series } from '#core';
import { openCache } from '#fetch';
import { readLock } from '#locks';
import { ccp, REPOSITORY } from '../helpers/ccp.ts';
import { serveGit } from '../helpers/git-server.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

// Local git repositories in place of the hosts of master, made from a release: keystone with one
// more commit, and the upper constraints of its series.
const HOST = 'https://opendev.org/';
const LOCKED = ['debian-base', 'openstack-builder', 'openstack-base', 'keystone'];
let workspace: TestWorkspace;
let sources: string;
let server: Awaited<ReturnType<typeof serveGit>>;
let head: string;

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync(
    'git',
    [
      '-c',
      'user.name=t',
      '-c',
      'user.email=t@localhost',
      '-c',
      'init.defaultBranch=master',
      ...args,
    ],
    { cwd, encoding: 'utf8' },
  ).trim();

/** Creates a bare repository from a folder; returns the commit of its branch master. */
function publish(folder: string, name: string, tag?: string): string {
  git(folder, 'init', '-q');
  git(folder, 'add', '--force', '.');
  git(folder, 'commit', '-qm', 'release');
  if (tag !== undefined) {
    git(folder, 'tag', tag);
    git(folder, 'commit', '-q', '--allow-empty', '-m', 'work goes on');
  }
  mkdirSync(join(sources, 'openstack'), { recursive: true });
  git(sources, 'clone', '-q', '--bare', folder, join('openstack', name));
  return git(folder, 'rev-parse', 'HEAD');
}

const lockOf = (image: string): string =>
  readFileSync(join(workspace.root, `images/${image}/lock/master.yaml`), 'utf8');
const lookAt = (url: string): void =>
  workspace.write('.ccp.yaml', `origin: git\nmirrors: { git: { "${HOST}": "${url}" } }\n`);

async function succeed(...args: readonly string[]): Promise<string> {
  const result = await ccp(workspace.root, args);
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return result.stdout;
}

beforeAll(async () => {
  sources = mkdtempSync(join(tmpdir(), 'ccp-master-'));
  workspace = testWorkspace('archive');
  workspace.take(
    ...LOCKED.map((image) => `images/${image}`),
    'images/series.yaml',
    'images/_shared',
  );
  await succeed('fetch', 'keystone');
  const { version, archive } = readLock(
    { name: imageName('keystone'), folder: join(REPOSITORY, 'images/keystone') },
    series('2026.1'),
  ).sources['keystone']!;
  const cache = openCache({
    folder:
      process.env['CCP_CACHE'] ??
      join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'ccp'),
  });
  const tar = join(sources, 'keystone.tar.gz');
  await pipeline(cache.open(archive!.sha256), createWriteStream(tar));
  const tree = join(sources, 'keystone');
  mkdirSync(tree);
  execFileSync('tar', [
    '--extract',
    '--gzip',
    '--strip-components=1',
    '--exclude=PKG-INFO',
    '--exclude=*.egg-info',
    `--directory=${tree}`,
    `--file=${tar}`,
  ]);
  head = publish(tree, 'keystone', version);
  const requirements = join(sources, 'requirements');
  mkdirSync(requirements);
  cpSync(
    join(REPOSITORY, 'images/_shared/constraints/2026.1.txt'),
    join(requirements, 'upper-constraints.txt'),
  );
  publish(requirements, 'requirements');
  server = await serveGit(sources);
});

afterAll(async () => {
  await server?.close();
  workspace.remove();
  rmSync(sources, { recursive: true, force: true });
});

it('locks and builds master, with equal results over file:// and http', async () => {
  lookAt(`file://${sources}/`);
  await succeed('lock', 'keystone', '--series', 'master');
  expect(lockOf('keystone')).toContain(`commit: "${head}"\n    version: "29.0.3.dev1"\n`);
  const constraints = join(workspace.root, 'images/_shared/constraints/master.txt');
  expect(readFileSync(constraints, 'utf8')).toMatch(
    /^# upper-constraints\.txt of https:\/\/opendev\.org\/openstack\/requirements at [0-9a-f]{40}, written by `ccp lock`\n/,
  );
  const overFile = LOCKED.map(lockOf);

  for (const image of LOCKED) rmSync(join(workspace.root, `images/${image}/lock/master.yaml`));
  rmSync(constraints);
  lookAt(`${server.url}/`);
  await succeed('lock', 'keystone', '--series', 'master');
  expect(LOCKED.map(lockOf)).toEqual(overFile);

  await succeed('build', 'keystone', '--series', 'master', '--yes');
  expect(
    await succeed('run', 'keystone', '--series', 'master', '--', 'keystone-manage', '--version'),
  ).toBe('29.0.3\n');
}, 1_800_000);

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectCluster } from '#engines';
import type { PlanDocument } from '#plan';
import { ccp, ccpJson } from '../helpers/ccp.ts';
import { upCluster } from '../helpers/cluster/up-cluster.ts';
import { startDebianRegistry, type DebianRegistry } from '../helpers/e2e/debian-registry.ts';
import { linkStore } from '../helpers/link-store.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

/** The day of a release engineer: docs/guides/release-day.md. */

const SITE = `schema: 1.0.0
cluster: { context: ccp }
namespace: cloud
series: "2026.1"
registry: ccp.local
region: RegionOne
roles: { control-plane: [openstack-control-plane=enabled] }
storage: { default: folder }
apps: { hello: {} }
`;
const APP = `schema: 1.0.0
title: Hello
user: { uid: 42999, gid: 42999 }
workloads:
  hello:
    kind: Deployment
    role: control-plane
    replicas: { default: 1, rule: any }
    spread: preferred
    grace: 1
    containers:
      hello:
        command: [sh, -c, 'cat /opt/hello/greeting; exec sleep 86400']
        resources: { requests: { cpu: 10m, memory: 16Mi }, limits: { memory: 32Mi } }
`;
const OTHER = `title: Other
description: An image without a source.
parents: { base: debian-base }
root: a test
`;

let folder: string;
let registry: DebianRegistry;
let key: string;

const git = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
    cwd,
    encoding: 'utf8',
  }).trim();

/** A workspace in a git repository, whose image `hello` has a file of a git source. */
function releaseTeam(series: string, images: readonly string[]): TestWorkspace {
  const workspace = testWorkspace('git');
  workspace.take('images/series.yaml', 'images/_shared');
  workspace.take(...images.map((image) => `images/${image}`));
  linkStore(workspace.root);
  const source = join(folder, `hello-${series}`);
  mkdirSync(source);
  git(source, 'init', '-q', '-b', 'main');
  workspace.write('images/other/image.yaml', OTHER);
  workspace.write(
    'images/other/Dockerfile.njk',
    'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\nCOPY files /\n',
  );
  workspace.write('images/other/files/a', 'a\n');
  workspace.write(
    'images/hello/image.yaml',
    [
      'title: Hello',
      'description: A file from a git source.',
      'parents: { base: debian-base }',
      `sources: { hello: { repository: "file://${source}", refs: { "${series}": main } } }`,
      'user: { name: hello, uid: 42999, gid: 42999, home: /nonexistent }',
      '',
    ].join('\n'),
  );
  workspace.write('images/hello/app.yaml', APP);
  workspace.write(
    'images/hello/Dockerfile.njk',
    [
      'ARG CCP_PARENT_BASE',
      'FROM ${CCP_PARENT_BASE}',
      'RUN --mount=type=tmpfs,target=/run --mount=type=bind,source=.inputs/sources,target=/run/sources \\',
      '    mkdir /opt/hello && tar -C /opt/hello --strip-components=1 --no-same-owner -xf /run/sources/hello.tar \\',
      '    && echo "hello:x:42999:42999::/nonexistent:/usr/sbin/nologin" >> /etc/passwd',
      'USER 42999:42999',
      '',
    ].join('\n'),
  );
  workspace.write('.gitignore', '.ccp/\n');
  git(workspace.root, 'init', '-q', '-b', 'main');
  return workspace;
}

/** A commit in the source of `hello`. */
function greet(series: string, greeting: string): void {
  const source = join(folder, `hello-${series}`);
  writeFileSync(join(source, 'greeting'), `${greeting}\n`);
  git(source, 'add', '.');
  git(source, 'commit', '-qm', greeting);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-day-'));
  registry = await startDebianRegistry(join(folder, 'registry'));
  key = join(folder, 'release.key');
});
afterAll(async () => {
  await registry?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each([
  { series: '2026.1', images: ['debian-base', 'openstack-base', 'openstack-builder'] },
  { series: '2025.2', images: ['debian-base'] },
])('the day of a release engineer of $series', ({ series, images }) => {
  const isDeployed = images.length > 1;
  const [first, second] = [`${series}.0`, `${series}.1`];
  const deployed = (version: string): readonly string[] => (isDeployed ? [version] : []);
  let team: TestWorkspace;
  let offline: string;
  let candidates: string;
  let mirror: string;

  /** Runs a command that must succeed; resolves with its stdout. */
  const done = async (root: string, ...args: readonly string[]): Promise<string> => {
    const env = { CCP_YES: '1', KUBECONFIG: join(root, '.ccp/cluster/kubeconfig') };
    const result = await ccp(root, [...args, '--series', series], env);
    expect(result, `${args.join(' ')}\n${result.stderr}`).toMatchObject({ exitCode: 0 });
    return result.stdout.trimEnd();
  };
  const inTeam = (...args: readonly string[]) => done(team.root, ...args);
  const trusted = (...args: readonly string[]) => done(offline, ...args, '--trust', `${key}.pub`);
  const commit = (text: string): void => {
    git(team.root, 'add', '.');
    git(team.root, 'commit', '-qm', text);
  };
  const bundle = (version: string): string => join(folder, `${version}.tar`);
  const save = (version: string) =>
    trusted('release', 'bundle', version, '--from', mirror, '-o', bundle(version));

  beforeAll(async () => {
    team = releaseTeam(series, images);
    offline = join(folder, `offline-${series}`);
    mkdirSync(join(offline, 'deploy-specs/day'), { recursive: true });
    writeFileSync(join(offline, 'deploy-specs/day/site.yaml'), SITE);
    candidates = `${registry.address}/candidates`;
    mirror = `${registry.address}/mirror-${series}`;
    greet(series, 'first');
    if (isDeployed) await inTeam('keygen', key);
    await inTeam('lock', 'hello', 'other');
    commit('first locks');
  });
  afterAll(async () => {
    if (isDeployed) await ccp(offline, ['down']);
    team?.remove();
  });

  it('publishes a build to candidates, where another workspace verifies it by the public key', async () => {
    await inTeam('build');
    const create = ['release', 'create', first, '--to', candidates, '--key', key];
    expect(await inTeam(...create)).toMatch(new RegExp(`^${first} is `));
    expect(await trusted('release', 'verify', first, '--from', candidates)).toMatch(
      new RegExp(`^${first} is signed by .*release\\.key\\.pub and complete: `),
    );
  });

  it.each(deployed(first))('deploys a site from the bundle of %s without a network', async () => {
    await trusted('release', 'mirror', first, '--from', candidates, '--to', mirror);
    await save(first);
    await upCluster(offline, 'day', '--set', bundle(first), '--trust', `${key}.pub`);
    await trusted('deploy', 'apply', 'day', '--set', bundle(first));
    expect(await greeting(offline)).toBe('first\n');
  });

  it('builds only the images of a changed lock, releases them and names the difference', async () => {
    greet(series, 'second');
    await inTeam('lock', 'hello', '--update');
    commit('a fix');
    const plan = await ccpJson<PlanDocument>(team.root, ['plan', '--series', series]);
    const work = plan.images.filter(({ action }) => action !== 'reuse').map(({ image }) => image);
    expect(work).toEqual(['hello']);
    await inTeam('build');
    await inTeam('release', 'create', second, '--to', candidates, '--key', key);
    const difference = await trusted('release', 'diff', first, second, '--from', candidates);
    expect(difference).toMatch(/^hello changed/);
    expect(difference).not.toMatch(/^(?:other|debian-base)/m);
  });

  it('promotes, mirrors and bundles the new version', async () => {
    const from = ['--from', candidates];
    for (const version of [first, second])
      await inTeam('release', 'promote', version, '--to', series, ...from, '--key', key);
    expect(await trusted('release', 'verify', series, ...from)).toMatch(
      new RegExp(`^${series.replace('.', '\\.')} \\(${second}\\) is signed by `),
    );
    await trusted('release', 'mirror', second, ...from, '--to', mirror);
    await save(second);
    const archive = ['--from', `oci-archive:${bundle(second)}`];
    expect(await trusted('release', 'verify', second, '--deep', ...archive)).toContain(second);
  });

  it.each(deployed(second))('upgrades the site from the bundle of %s', async () => {
    await trusted('deploy', 'upgrade', 'day', '--set', bundle(second));
    expect(await greeting(offline)).toBe('second\n');
  });

  it('rolls the alias back, and finds the earlier version by it', async () => {
    const from = ['--from', candidates];
    expect(await inTeam('release', 'rollback', series, ...from, '--key', key)).toBe(
      `${series} -> ${first}, from ${second} (move 3)`,
    );
    expect(await trusted('release', 'list', ...from)).toContain(`${series} -> ${first} verified`);
  });

  // The clone has no `ccp`, so this checkout builds. Only the set of 2025.2 is small enough.
  it.each(isDeployed ? [] : [first])(
    'rebuilds %s from its commit, with equal digests',
    async () => {
      const source = ['--source', team.root, '--trust', `${key}.pub`];
      expect(await inTeam('release', 'rebuild', first, '--from', candidates, ...source)).toContain(
        'all digests are equal',
      );
    },
  );
});

/** The log of the pod of `hello`. */
async function greeting(root: string): Promise<string | undefined> {
  const { cluster, close } = await connectCluster({
    kubeconfig: join(root, '.ccp/cluster/kubeconfig'),
  });
  try {
    const { items } = await cluster.list(
      { apiVersion: 'v1', kind: 'Pod' },
      { namespace: 'cloud', labelSelector: 'app.kubernetes.io/instance=hello' },
    );
    const pod = items.find(
      ({ metadata }) =>
        metadata.deletionTimestamp === undefined &&
        metadata.ownerReferences?.some(({ kind }) => kind === 'ReplicaSet') === true,
    );
    return pod && (await cluster.logs({ namespace: 'cloud', name: pod.metadata.name }));
  } finally {
    close();
  }
}

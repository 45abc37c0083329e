import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { REPOSITORY } from '../support/ccp.ts';

const run = promisify(execFile);
const nx = async (...args: readonly string[]): Promise<string> => {
  const bin = join(REPOSITORY, 'node_modules/nx/dist/bin/nx.js');
  const { stdout } = await run(process.execPath, [bin, ...args], { cwd: REPOSITORY, env: { ...process.env, NX_DAEMON: 'false', NX_CACHE_PROJECT_GRAPH: 'false' } });
  return stdout;
};
const affected = async (file: string): Promise<string[]> => (await nx('show', 'projects', '--affected', `--files=${file}`)).split('\n').filter(Boolean).sort();

interface GraphFile {
  readonly graph: {
    readonly nodes: Readonly<Record<string, { readonly data: { readonly targets: Readonly<Record<string, { readonly cache: boolean; readonly configurations: object }>> } }>>;
    readonly dependencies: Readonly<Record<string, readonly { readonly target: string }[]>>;
  };
}

test('images are projects, parents are edges, and no build is cached', async () => {
  const file = join(tmpdir(), `ccp-nx-${process.pid}.json`);
  await nx('graph', `--file=${file}`);
  const { graph } = JSON.parse(readFileSync(file, 'utf8')) as GraphFile;
  rmSync(file);
  const edges = Object.entries(graph.dependencies).flatMap(([from, targets]) => targets.map(({ target }) => `${from} -> ${target}`));
  expect(edges.sort()).toEqual(expect.arrayContaining(['keystone -> openstack-base', 'keystone -> openstack-builder', 'memcached -> debian-base', 'openstack-base -> openstack-builder']));
  expect(graph.nodes['keystone']?.data.targets['build']).toMatchObject({ cache: false, configurations: { '2026.1': { series: '2026.1' }, '2025.2': { series: '2025.2' } } });
}, 60_000);

test.each([
  ['images/memcached/lock/2026.1.yaml', ['memcached']],
  ['images/openstack-base/image.yaml', ['keystone', 'openstack-base']],
  ['images/_shared/macros.njk', ['debian-base', 'keystone', 'mariadb', 'memcached', 'openstack-base', 'openstack-builder', 'rabbitmq']],
  ['images/_shared/constraints/2026.1.txt', []],
  ['README.md', []],
])('a change of %s affects %j', async (file, images) => {
  expect(await affected(file)).toEqual(images);
}, 60_000);

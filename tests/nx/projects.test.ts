import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
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

test('a lock edit affects its image and descendants, a shared template all, a constraint and a document none', async () => {
  expect(await affected('images/memcached/lock/2026.1.yaml')).toEqual(['memcached']);
  const below = await affected('images/openstack-base/lock/2026.1.yaml');
  expect(below).toEqual(expect.arrayContaining(['keystone', 'openstack-base']));
  expect(below).toEqual(expect.not.arrayContaining(['debian-base']));
  expect(below).toEqual(expect.not.arrayContaining(['memcached']));
  const all = readdirSync(join(REPOSITORY, 'images'), { withFileTypes: true }).filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'));
  expect(await affected('images/_shared/macros.njk')).toEqual(all.map(({ name }) => name).sort());
  expect(await affected('images/_shared/constraints/2026.1.txt')).toEqual([]);
  expect(await affected('tools/entrypoint/src/main.ts')).toEqual(['entrypoint']);
  expect(await affected('README.md')).toEqual([]);
}, 120_000);

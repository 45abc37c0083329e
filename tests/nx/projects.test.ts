import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ProjectGraph } from '@nx/devkit';
import { filterAffected } from 'nx/src/project-graph/affected/affected-project-graph.js';
import { calculateFileChanges } from 'nx/src/project-graph/file-utils.js';
import { beforeAll, expect, it } from 'vitest';
import { REPOSITORY } from '../helpers/ccp.ts';

const run = promisify(execFile);
const nx = async (...args: readonly string[]): Promise<string> => {
  const bin = join(REPOSITORY, 'node_modules/nx/dist/bin/nx.js');
  const { stdout } = await run(process.execPath, [bin, ...args], {
    cwd: REPOSITORY,
    env: { ...process.env, NX_DAEMON: 'false', NX_CACHE_PROJECT_GRAPH: 'false' },
  });
  return stdout;
};

let graph: ProjectGraph;

beforeAll(async () => {
  const file = join(tmpdir(), `ccp-nx-${process.pid}.json`);
  await nx('graph', `--file=${file}`);
  graph = (JSON.parse(readFileSync(file, 'utf8')) as { readonly graph: ProjectGraph }).graph;
  rmSync(file);
});

/**
 * The output of `nx show projects --affected` for a change, from its own functions and one graph.
 */
async function affected(file: string): Promise<string[]> {
  const { nodes } = await filterAffected(
    { externalNodes: {}, ...graph },
    calculateFileChanges([file], { files: [file] }),
  );
  return Object.keys(nodes).sort();
}

it('shows images as projects and parents as edges, and caches no build', () => {
  const edges = Object.entries(graph.dependencies).flatMap(([from, targets]) =>
    targets.map(({ target }) => `${from} -> ${target}`),
  );
  expect(edges.sort()).toEqual(
    expect.arrayContaining([
      'keystone -> openstack-base',
      'keystone -> openstack-builder',
      'memcached -> debian-base',
      'openstack-base -> openstack-builder',
    ]),
  );
  expect(graph.nodes['keystone']?.data.targets?.['build']).toMatchObject({
    cache: false,
    configurations: { '2026.1': { series: '2026.1' }, '2025.2': { series: '2025.2' } },
  });
});

it('finds the images that a changed lock, template, constraint, npm lock, document or deleted image affects', async () => {
  const lock = 'images/memcached/lock/2026.1.yaml';
  expect(await nx('show', 'projects', '--affected', `--files=${lock}`)).toBe('memcached\n');
  expect(await affected(lock)).toEqual(['memcached']);
  const below = await affected('images/openstack-base/lock/2026.1.yaml');
  expect(below).toEqual(expect.arrayContaining(['keystone', 'openstack-base']));
  expect(below).toEqual(expect.not.arrayContaining(['debian-base']));
  expect(below).toEqual(expect.not.arrayContaining(['memcached']));
  const all = readdirSync(join(REPOSITORY, 'images'), { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('_'),
  );
  expect(await affected('images/_shared/macros.njk')).toEqual(all.map(({ name }) => name).sort());
  for (const file of ['.ccp.yaml', 'tools/plan/src/fingerprint.ts', 'tools/context/src/types.ts'])
    expect(await affected(file), file).toEqual(all.map(({ name }) => name).sort());
  expect(await affected('tools/plan/src/explain.test.ts')).not.toContain('memcached');
  const python = all.filter(({ name }) =>
    /^python:/m.test(readFileSync(join(REPOSITORY, 'images', name, 'image.yaml'), 'utf8')),
  );
  expect(await affected('images/_shared/constraints/2026.1.txt')).toEqual(
    python.map(({ name }) => name).sort(),
  );
  expect(await affected('tools/entrypoint/src/main.ts')).toEqual(['entrypoint']);
  expect(await affected('package-lock.json')).toEqual(['entrypoint']);
  expect(await affected('README.md')).toEqual([]);
  expect(await nx('show', 'projects', '--affected', '--files=images/gone/image.yaml')).toBe('');
});

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
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

/** The affected projects of a changed file, from functions of Nx and one graph. */
async function affectedProjects(file: string): Promise<string[]> {
  const { nodes } = await filterAffected(
    { externalNodes: {}, ...graph },
    calculateFileChanges([file], { files: [file] }),
  );
  return Object.keys(nodes).sort();
}

async function affected(file: string): Promise<string[]> {
  const projects = await affectedProjects(file);
  return projects.filter((name) => graph.nodes[name]!.data.tags?.includes('image'));
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
  expect(await nx('show', 'projects', '--affected', '-p', 'tag:image', `--files=${lock}`)).toBe(
    'memcached\n',
  );
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
  const gone = '--files=images/gone/image.yaml';
  expect(await nx('show', 'projects', '--affected', '-p', 'tag:image', gone)).toBe('');
});

it('has projects for sites and packages with edges to images and packages', async () => {
  const edges = (name: string) => graph.dependencies[name]!.map(({ target }) => target);
  expect(edges('site-example')).toEqual(expect.arrayContaining(['keystone', 'mariadb']));
  expect(edges('tools-graph').sort()).toEqual(['tools-core', 'tools-definitions']);
  expect(edges('ccp')).toEqual(expect.arrayContaining(['tools-cli', 'tools-nx-plugin']));
  expect(await affectedProjects('deploy-specs/example/site.yaml')).toEqual(['ccp', 'site-example']);
  const changed = await affectedProjects('tools/rollout/src/index.ts');
  const packages = [
    'tools-application',
    'tools-cli',
    'tools-nx-plugin',
    'tools-operator',
    'tools-rollout',
  ];
  expect(changed).toEqual(['ccp', 'entrypoint', ...packages]);
  expect(await affectedProjects('images/keystone/app.yaml')).toEqual(
    expect.arrayContaining(['keystone', 'site-example']),
  );
});

it('gives each kind of project its targets, with descriptions, inputs and outputs', () => {
  const targetsOf = (name: string) => graph.nodes[name]!.data.targets!;
  expect(Object.keys(targetsOf('keystone'))).toEqual(['build', 'test', 'validate', 'lock-check']);
  expect(Object.keys(targetsOf('site-example'))).toEqual(['validate', 'render']);
  expect(Object.keys(targetsOf('tools-core'))).toEqual(['test', 'typecheck', 'lint']);
  expect(Object.keys(targetsOf('ccp'))).toEqual(['test', 'typecheck', 'lint']);
  for (const [name, { data }] of Object.entries(graph.nodes)) {
    expect(data.metadata?.description, name).toMatch(/^.+\.$/);
    for (const [target, { metadata, inputs }] of Object.entries(data.targets!)) {
      expect(metadata?.description, `${name}:${target}`).toMatch(/^[A-Z].+\.$/);
      expect(inputs?.length, `${name}:${target}`).toBeGreaterThan(0);
    }
  }
  const outputs = (name: string, target: string) => targetsOf(name)[target]!.outputs;
  expect(outputs('keystone', 'build')).toEqual([
    '{workspaceRoot}/.ccp/store',
    '{workspaceRoot}/.ccp/sets',
  ]);
  expect(outputs('site-example', 'render')).toEqual([
    '{workspaceRoot}/.ccp/render/{projectName}.yaml',
  ]);
});

it('builds only the series of a site before it is rendered', () => {
  expect(graph.nodes['site-example']!.data.targets!['render']).toMatchObject({
    dependsOn: ['^build'],
    defaultConfiguration: '2026.1',
    configurations: { '2026.1': {} },
  });
});

it('has a project and a configuration for the types of every package', () => {
  const packages = readdirSync(join(REPOSITORY, 'tools')).filter((name) =>
    existsSync(join(REPOSITORY, 'tools', name, 'src')),
  );
  expect(packages.filter((name) => graph.nodes[`tools-${name}`] === undefined)).toEqual([]);
  expect(
    packages.filter((name) => !existsSync(join(REPOSITORY, 'tools', name, 'tsconfig.check.json'))),
  ).toEqual([]);
});

it('runs a target of an image for one series and for all', async () => {
  const run = (...args: readonly string[]) =>
    nx('run', 'openstackclient:lock-check', ...args).then(stripVTControlCharacters);
  expect(await run()).toMatch(/--series=all[^]*series 2026\.1:\n[^]*series 2025\.2:\n/);
  const one = await run('--series=2025.2');
  expect(one).toContain('4 locks are up to date\n');
  expect(one).not.toContain('2026.1');
});

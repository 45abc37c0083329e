import { execFile, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify, stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PlanDocument } from '#plan';
import { parseImageSet } from '#release';
import { ccp, ccpJson, REPOSITORY } from '../helpers/ccp.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

// One image, built once by Nx and checked in several ways.
const endpoint = process.env['CCP_ENGINE'] ?? '';
const env = { DOCKER_HOST: endpoint, CCP_YES: '1' };
const skopeo = spawnSync('skopeo', ['--version']).status === 0;
let workspace: TestWorkspace;
let definition: string;

const define = (change: (text: string) => string): void =>
  workspace.write('images/debian-base/image.yaml', change(definition));
const planned = async () =>
  (await ccpJson<PlanDocument>(workspace.root, ['plan'], env)).images.map(
    ({ image, action, reasons }) => [image, action, ...reasons],
  );
const setOf = () =>
  parseImageSet(readFileSync(join(workspace.root, '.ccp/sets/2026.1.json'), 'utf8'), 'set');

beforeAll(() => {
  workspace = testWorkspace();
  workspace.take(
    'images/debian-base',
    'images/series.yaml',
    'images/_shared',
    'package.json',
    'nx.json',
    'tsconfig.base.json',
  );
  for (const link of ['node_modules', 'tools', 'tests', 'ccp'])
    symlinkSync(join(REPOSITORY, link), join(workspace.root, link));
  definition = readFileSync(join(workspace.root, 'images/debian-base/image.yaml'), 'utf8');
});
afterAll(() => workspace.remove());

it('is built by Nx, and is in the store and the set', async () => {
  const nx = join(REPOSITORY, 'node_modules/nx/dist/bin/nx.js');
  const built = await promisify(execFile)(
    process.execPath,
    [nx, 'run-many', '-t', 'build', '-p', 'debian-base'],
    {
      cwd: workspace.root,
      env: { ...process.env, ...env, NX_DAEMON: 'false', NX_CACHE_PROJECT_GRAPH: 'false' },
    },
  );
  expect(stripVTControlCharacters(built.stdout)).toContain(
    'Successfully ran target build for project debian-base',
  );
  expect(await planned()).toEqual([['debian-base', 'reuse']]);
  expect(setOf().images.map(({ name }) => name)).toEqual(['debian-base']);
});

it('is removed from the engine after the build', async () => {
  const port = readFileSync(join(workspace.root, '.ccp/store/port'), 'utf8').trim();
  const images = await new Promise<string>((resolve, reject) => {
    request({ socketPath: endpoint.replace('unix://', ''), path: '/images/json' }, (answer) => {
      text(answer).then(resolve, reject);
    })
      .on('error', reject)
      .end();
  });
  expect(images).toContain('[');
  expect(images).not.toContain(`127.0.0.1:${port}/`);
});

// Debian's package skopeo.
it.skipIf(!skopeo)(
  `is readable by skopeo${skopeo ? '' : ' (skipped: skopeo is not installed; install its Debian package)'}`,
  async () => {
    const { name, version, digest } = setOf().images[0]!;
    const { stdout } = await promisify(execFile)('skopeo', [
      'inspect',
      `oci:${join(workspace.root, '.ccp/store')}:${name}:${version}`,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      Digest: digest,
      Os: 'linux',
      Architecture: 'amd64',
    });
  },
);

it.each([
  [
    'a budget it does not keep',
    (text: string) => text.replace(/^budget:.*$/m, 'budget: 1MB'),
    'more than its budget of 1.0 MB',
  ],
  [
    'a test that fails',
    (text: string) =>
      text.replace(/^  commands:$/m, '  commands:\n    - { name: it is true, run: ["false"] }'),
    'it is true',
  ],
])('is removed from the set, without a build, because of %s', async (_, change, finding) => {
  define((text) => text);
  expect((await ccp(workspace.root, ['build'], env)).exitCode).toBe(0);
  expect(setOf().images).toHaveLength(1);
  define(change);
  expect(readFileSync(join(workspace.root, 'images/debian-base/image.yaml'), 'utf8')).not.toBe(
    definition,
  );
  expect(await planned()).toEqual([['debian-base', 'reuse', 'its tests changed']]);
  const failed = await ccp(workspace.root, ['build'], env);
  expect(failed.exitCode).toBe(1);
  expect(`${failed.stdout}${failed.stderr}`).toContain(finding);
  expect(`${failed.stdout}${failed.stderr}`).not.toContain('gather inputs');
  expect(failed.stdout).toMatch(/^left the image set: debian-base \(its tests failed\)$/m);
  expect(setOf().images).toEqual([]);
  expect(await planned()).toEqual([
    ['debian-base', 'reuse', 'no passed run of its tests is recorded'],
  ]);
});

it('runs passed image tests only once', async () => {
  define((text) => `${text.replace(/^budget:.*$/m, 'budget: 900MB')}`);
  const passed = await ccp(workspace.root, ['build'], env);
  expect(passed, passed.stderr).toMatchObject({ exitCode: 0 });
  expect((await ccp(workspace.root, ['build'], env)).stdout).toContain('nothing to do');
});

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { hexOf, imageName, type Digest } from '#core';
import { type PlanDocument } from '#plan';
import { parseImageSet } from '#release';
import { appText } from '#site/testing';
import { openStore } from '#store';
import { openProject } from '../../tools/cli/src/compose/plan.ts';
import { expectationsKey } from '../../tools/cli/src/compose/definition-expectations.ts';
import { openPassedTests } from '../../tools/cli/src/state/passed-tests.ts';
import { fixtureTar } from '../../tools/store/src/testing/fixture-tar.ts';
import { pushAndSeal } from '../../tools/store/src/testing/push-image.ts';
import { ccpJson } from '../helpers/ccp.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

const LAYER = fixtureTar([{ name: 'a', type: 'file' }]);

let workspace: TestWorkspace;

let env: Readonly<Record<string, string>>;

const define = (more = ''): void =>
  workspace.write(
    'images/base/image.yaml',
    `title: Base\ndescription: An image.\nroot: the base of the test\n${more}`,
  );

const run = async (...args: readonly string[]) => {
  const { exitCode, stdout, stderr } = await runInProcess(workspace.root, args, env);
  return { exitCode, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
};

const state = (path: string): string => join(workspace.root, '.ccp', path);

/** Stores an image under the fingerprint of the plan, like a build. */
async function store(name = 'base'): Promise<Digest> {
  const { images } = await ccpJson<PlanDocument>(workspace.root, ['plan', name], env, runInProcess);
  const { image, fingerprint, record } = images.find(({ image }) => image === name)!;
  const opened = await openStore({ folder: state('store') });
  const identity = {
    image,
    fingerprint,
    series: record.series,
    platform: record.platform,
    contentKey: fingerprint,
    labels: record.labels,
  };
  const stored = await pushAndSeal(opened, identity, [LAYER]);
  await opened.publish(stored);
  await opened.close();
  mkdirSync(state('records/2026.1'), { recursive: true });
  writeFileSync(state(`records/2026.1/${name}.json`), JSON.stringify({ record }));
  return stored.digest;
}

/** Records passed tests of a stored image. */
function pass(name: string, digest: Digest): void {
  const { paths, series, graph } = openProject(workspace.root, undefined);
  openPassedTests(paths, series.name).add(
    imageName(name),
    digest,
    expectationsKey(graph.images.get(imageName(name))!),
  );
}

beforeAll(async () => {
  workspace = testWorkspace();
  env = { CCP_CACHE: join(workspace.root, 'cache'), DOCKER_HOST: 'unix:///nothing.sock' };
  define();
  workspace.write('images/base/Dockerfile.njk', 'FROM scratch\nCOPY files /\n');
  workspace.write('images/base/files/a', 'a\n');
  expect(await run('lock')).toMatchObject({ exitCode: 0 });
});

beforeEach(() => {
  rmSync(state('.'), { recursive: true, force: true });
  define();
});

afterAll(() => workspace.remove());

it('plans to test, not build, a stored image with changed or unknown tests', async () => {
  pass('base', await store());
  define('budget: 1MB\n');
  const { stdout } = await run('plan');
  expect(stdout).toMatch(
    /^ {2}base +\S+ +reuse +its tests changed\n1 to test again, 0 up to date$/m,
  );
  writeFileSync(state('tests/2026.1.json'), 'garbage');
  const reasons = ['no passed run of its tests is recorded'];
  expect(await ccpJson(workspace.root, ['plan'], env)).toMatchObject({
    images: [{ action: 'reuse', reasons, causes: [{ kind: 'untested' }] }],
  });
});

it('plans to test images again for --retest', async () => {
  pass('base', await store());
  expect((await run('plan')).stdout).toMatch(/^nothing to do$/m);
  expect(await run('build', '--retest')).toMatchObject({
    exitCode: 5,
    stderr: expect.stringContaining('nothing.sock'),
  });
  expect((await run('plan')).stdout).toMatch(
    /^ {2}base +\S+ +reuse +no passed run of its tests is recorded$/m,
  );
});

it('builds an image again if a blob is missing; a plan checks only its manifest', async () => {
  const digest = await store();
  pass('base', digest);
  expect(await run('build')).toMatchObject({ exitCode: 0 });
  const { manifest } = await ccpJson<{
    readonly manifest: { readonly layers: readonly { readonly digest: Digest }[] };
  }>(workspace.root, ['inspect', 'base'], env);
  const blob = (of: Digest): string => state(`store/blobs/sha256/${hexOf(of)}`);
  rmSync(blob(manifest.layers[0]!.digest));
  expect((await run('plan')).stdout).toMatch(/^nothing to do$/m);
  expect(await run('explain', 'base')).toMatchObject({
    stdout: 'base: nothing changed, but its stored blobs are damaged or missing',
  });
  expect(await run('run', 'base')).toMatchObject({
    exitCode: 6,
    stderr: expect.stringContaining('base is built, but its stored blobs are damaged'),
  });
  expect(await run('build')).toMatchObject({
    exitCode: 5,
    stdout: '',
    stderr: expect.stringMatching(/damaged or missing: base\n[^]*nothing\.sock/),
  });
  writeFileSync(blob(digest), '');
  expect((await run('plan')).stdout).toMatch(
    /^ {2}base +\S+ +build +its stored blobs are damaged or missing\n1 to build, 0 up to date$/m,
  );
  expect((await run('inspect', 'base')).stderr).toBe(
    'ccp: base is built, but its stored blobs are damaged or missing\n  -> run `ccp build base`, or `ccp explain base` to see why',
  );
});

it('compares with the image in the image set, not with the last built one', async () => {
  const write = (name: string, text: string): void =>
    workspace.write(`images/base/files/${name}`, text);
  pass('base', await store());
  write('a', 'b\n');
  pass('base', await store());
  expect(await run('build')).toMatchObject({ exitCode: 0 });
  write('a', 'a\n');
  expect(await run('build')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('reused'),
  });
  write('c', 'c\n');
  expect(await run('explain', 'base')).toMatchObject({
    stdout: 'base changed:\n  - file c is a new input',
  });
  rmSync(join(workspace.root, 'images/base/files/c'));
});

it('lists images that a build removes from the image set, also if they were not selected', async () => {
  const write = (text: string): void => workspace.write('images/other/files/a', text);
  workspace.write(
    'images/other/image.yaml',
    'title: Other\ndescription: An image.\nroot: another base\nunlocked: true\n',
  );
  workspace.write('images/other/Dockerfile.njk', 'FROM scratch\nCOPY files /\n');
  write('a\n');
  await run('lock', 'other');
  for (const name of ['base', 'other']) pass(name, await store(name));
  expect(await run('build')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^image set: \.ccp\/sets\/2026\.1\.json \(2 images\)$/m),
  });
  expect(
    parseImageSet(readFileSync(state('sets/2026.1.json'), 'utf8'), 'set').images.map(
      ({ name, unlocked }) => [name, unlocked],
    ),
  ).toEqual([
    ['base', undefined],
    ['other', true],
  ]);
  expect((await run('inspect', 'other')).stdout).toContain('unlocked     its steps had a network');
  expect((await run('build', 'base')).stdout).toMatch(/^nothing to do: 1 image of /);
  write('b\n');
  const shrunk = await run('build', 'base');
  expect(shrunk).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('\nleft the image set: other (changed since it was built)'),
  });
  expect((await run('build', 'base')).stdout).toMatch(/^nothing to do: 1 image of /);
  rmSync(join(workspace.root, 'images/other'), { recursive: true });
});

it('writes the image set again if only an app spec changed', async () => {
  const app = (title: string): void =>
    workspace.write(
      'images/base/app.yaml',
      appText('base').replace('title: base', `title: ${title}`),
    );
  const kept = () =>
    parseImageSet(readFileSync(state('sets/2026.1.json'), 'utf8'), 'set').images[0]!.app;
  workspace.write(
    'images/base/image.yaml',
    'title: Base\ndescription: An image.\nuser: { name: base, uid: 1000, gid: 1000, home: /home/base }\n',
  );
  await run('lock');
  app('Base');
  pass('base', await store());
  expect(await run('build')).toMatchObject({ exitCode: 0 });
  expect(kept()?.files['app.yaml']).toContain('title: Base\n');
  expect((await run('build')).stdout).toMatch(/^nothing to do: 1 image of /);
  app('Another title');
  expect((await run('build')).stdout).toContain('image set: .ccp/sets/2026.1.json (1 image)');
  expect(kept()).toMatchObject({
    schema: '1.0.0',
    files: { 'app.yaml': expect.stringContaining('title: Another title\n') },
  });
  rmSync(join(workspace.root, 'images/base/app.yaml'));
});

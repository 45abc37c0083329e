import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hexOf, imageName, type Digest } from '#core';
import { fingerprintOf, versionOf, type BuildPlan } from '#plan';
import { parseImageSet } from '#release';
import { openStore } from '#store';
import { openProject } from '../../tools/cli/src/compose.ts';
import { expectationsKey } from '../../tools/cli/src/definition-expectations.ts';
import { openPassedTests } from '../../tools/cli/src/state/passed-tests.ts';
import { fixtureTar } from '../../tools/store/src/testing/fixture-tar.ts';
import { pushImage } from '../../tools/store/src/testing/push-image.ts';
import { ccp, ccpJson, REPOSITORY } from '../support/ccp.ts';
import { ccpHere } from '../support/ccp-here.ts';
import { testWorkspace, type TestWorkspace } from '../support/workspace.ts';

const SILENT = 'images of this workspace may stay on an engine: unix:///nothing.sock does not answer';
const LAYER = fixtureTar([{ name: 'a', type: 'file' }]);

let workspace: TestWorkspace;
let env: Readonly<Record<string, string>>;

const define = (more = ''): void => workspace.write('images/base/image.yaml', `title: Base\ndescription: An image.\nroot: the base of the test\n${more}`);
const run = async (...args: readonly string[]) => {
  const { exitCode, stdout, stderr } = await ccpHere(workspace.root, args, env);
  return { exitCode, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
};
const state = (path: string): string => join(workspace.root, '.ccp', path);

/** Puts an image into the store under the fingerprint of the plan, as a build would. */
async function store(name = 'base'): Promise<Digest> {
  const { images } = await ccpJson<BuildPlan>(workspace.root, ['plan', name], env, ccpHere);
  const { image, fingerprint, record } = images.find(({ image }) => image === name)!;
  const opened = await openStore({ folder: state('store') });
  const identity = { image, fingerprint, series: record.series, platform: record.platform, contentKey: fingerprint, labels: record.labels };
  await pushImage(opened, identity, [LAYER]);
  const stored = await opened.seal(identity);
  await opened.publish(stored);
  await opened.close();
  mkdirSync(state('records/2026.1'), { recursive: true });
  writeFileSync(state(`records/2026.1/${name}.json`), JSON.stringify({ record }));
  return stored.digest;
}

/** A server of loopback. */
async function listening(answer?: RequestListener): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

/** Has the tests of a stored image passed. */
function pass(name: string, digest: Digest): void {
  const { paths, series, graph } = openProject(workspace.root, undefined);
  openPassedTests(paths, series.name).add(imageName(name), digest, expectationsKey(graph.images.get(imageName(name))!));
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

describe('clean', () => {
  test('has nothing to do without a state folder', async () => {
    rmSync(state('.'), { recursive: true, force: true });
    expect(await run('clean')).toMatchObject({ exitCode: 0, stdout: 'nothing to clean' });
  });

  test('drops what no image set names, and the logs of all runs but the last', async () => {
    await store();
    for (const run of ['2', '1', '3']) mkdirSync(state(`logs/${run}`), { recursive: true });
    expect(await run('clean')).toMatchObject({ exitCode: 0, stdout: '0 MB freed, 0 images kept', stderr: SILENT });
    expect([readdirSync(state('logs')), existsSync(state('records'))]).toEqual([['3'], true]);
    expect(await run('inspect', 'base')).toMatchObject({ exitCode: 6 });
  });

  test('names the command that helps where the store is damaged, and that helps', async () => {
    await store();
    writeFileSync(state('store/index.json'), '{');
    const refused = await run('clean');
    expect(refused.exitCode).toBe(6);
    expect(refused.stderr).toContain('drop the store with `ccp clean --all` and build again');
    workspace.write('images/base/image.yaml', 'a definition that nobody can read');
    expect(await run('clean', '--all')).toMatchObject({ exitCode: 0, stdout: '0 MB freed, 0 images kept', stderr: SILENT });
    expect(existsSync(state('.'))).toBe(false);
  });

  test('has engines forget what they have of the store, below ports too that it no longer has', async () => {
    await store();
    const [gone, other] = await Promise.all([listening(), listening()]);
    gone.server.close();
    const own = Number(readFileSync(state('store/port'), 'utf8'));
    writeFileSync(state('store/port'), `${[own, gone.port, other.port].join('\n')}\n`);
    const digest = `base@sha256:${'1'.repeat(64)}`;
    const references = [`127.0.0.1:${own}/${digest}`, `127.0.0.1:${gone.port}/${digest}`, `127.0.0.1:${other.port}/${digest}`, `127.0.0.1:1/${digest}`];
    const forgotten: string[] = [];
    const engine = await listening(({ method, url }, response) => {
      if (method === 'DELETE') forgotten.push(decodeURIComponent(url!.replace(/^\/images\/|\?.*/g, '')));
      response.end(
        method === 'DELETE'
          ? '[]'
          : url === '/_ping'
            ? 'OK'
            : JSON.stringify([{ RepoTags: [`127.0.0.1:${gone.port}/incoming/base:1`], RepoDigests: references }]),
      );
    });
    const cleaned = await ccpHere(workspace.root, ['clean'], { ...env, DOCKER_HOST: `tcp://127.0.0.1:${engine.port}` });
    for (const { server } of [other, engine]) server.close();
    expect(cleaned).toMatchObject({ exitCode: 0, stderr: '' });
    expect(forgotten).toEqual([`127.0.0.1:${gone.port}/incoming/base:1`, references[0], references[1]]);
    expect(readFileSync(state('store/port'), 'utf8')).toBe(`${own}\n${other.port}\n`);
  });

  test('takes no state away from a run', async () => {
    const opened = await openStore({ folder: state('store') });
    const refused = await ccp(workspace.root, ['clean', '--all'], env);
    await opened.close();
    expect(refused).toMatchObject({ exitCode: 6 });
    expect(existsSync(state('store/index.json'))).toBe(true);
  });

  test('--engine and --build-cache say where none runs, and leave the state alone', async () => {
    for (const run of ['1', '2']) mkdirSync(state(`logs/${run}`), { recursive: true });
    for (const flag of ['--engine', '--build-cache'])
      expect(await run('clean', flag)).toMatchObject({ exitCode: 0, stdout: 'no private engine is running', stderr: '' });
    expect(readdirSync(state('logs'))).toEqual(['1', '2']);
  });
});

test('cache shows what it holds, prunes, and knows no other action', async () => {
  expect(await ccpJson(workspace.root, ['cache'], env, ccpHere)).toMatchObject({ folder: env['CCP_CACHE'], entries: 0, size: 0 });
  expect(await ccpJson(workspace.root, ['cache', 'prune', '--days', '1'], env, ccpHere)).toMatchObject({ freed: 0 });
  const wrong = await run('cache', 'purge');
  expect(wrong).toMatchObject({ exitCode: 2 });
  expect(wrong.stderr).toContain('show, prune');
});

describe('inspect', () => {
  test('shows what a stored image is made of, and reads every blob again', async () => {
    const digest = await store();
    const { exitCode, stdout } = await run('inspect', 'base', '--verify');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^base 2026\.1-[0-9a-f]{32}\n/);
    expect(stdout).toContain(`${digest} (every blob verified)`);
  });

  test('says how to get an image that is not built, and knows no other', async () => {
    const missing = await run('inspect', 'base');
    expect(missing).toMatchObject({ exitCode: 6 });
    expect(missing.stderr).toContain('run `ccp build base`');
    expect((await run('inspect', 'bas')).stderr).toContain('did you mean');
  });
});

describe('explain', () => {
  test('names the input that differs from the last build', async () => {
    expect(await run('explain', 'base')).toMatchObject({ exitCode: 0, stdout: 'base: not built yet' });
    await store();
    expect(await run('explain', 'base')).toMatchObject({ exitCode: 0, stdout: 'base: nothing changed, but no run of its tests is known that passed' });
    workspace.write('images/base/files/a', 'b\n');
    const { stdout } = await run('explain', 'base');
    workspace.write('images/base/files/a', 'a\n');
    expect(stdout).toBe('base changed:\n  - file a changed');
  });

  test('says how the last attempt failed, as long as it was at what is defined now', async () => {
    const [planned] = (await ccpJson<BuildPlan>(workspace.root, ['plan'], env, ccpHere)).images;
    mkdirSync(state('failures/2026.1'), { recursive: true });
    const failed = (fingerprint: string): void =>
      writeFileSync(
        state('failures/2026.1/base.json'),
        JSON.stringify({ fingerprint, message: 'the tests of base found a fault:\n- none', log: '.ccp/logs/1/base.log' }),
      );
    failed(planned!.fingerprint);
    expect((await run('explain', 'base')).stdout).toBe(
      'base: not built yet\nit failed when it was last tried: the tests of base found a fault:\n  - none\n  log: .ccp/logs/1/base.log',
    );
    failed('another');
    expect((await run('explain', 'base')).stdout).toBe('base: not built yet');
  });

  test('compares with a plan file', async () => {
    const file = join(workspace.root, 'plan.json');
    expect(await run('plan', '-o', file)).toMatchObject({ exitCode: 0 });
    expect((await run('explain', 'base', '--against', file)).stdout).toBe('base: nothing changed');
    const other = 'title: Other\ndescription: An image.\nroot: another base of the test\n';
    workspace.write('images/other/image.yaml', other);
    workspace.write('images/other/Dockerfile.njk', 'FROM scratch\n');
    await run('lock', 'other');
    const missing = await run('explain', 'other', '--against', file);
    const plan: BuildPlan = JSON.parse(readFileSync(file, 'utf8'));
    const called = (name: string): unknown => {
      const record = { ...plan.images[0]!.record, image: imageName(name) };
      const fingerprint = fingerprintOf(record);
      return { ...plan.images[0]!, image: name, record, fingerprint, version: versionOf(plan.series, fingerprint) };
    };
    const hintOf = async (...names: readonly string[]): Promise<string | undefined> => {
      writeFileSync(file, JSON.stringify({ ...plan, images: names.map(called) }));
      return (await run('explain', 'other', '--against', file)).stderr.split('\n')[1];
    };
    const hints = [await hintOf('a', 'b', 'c', 'd', 'e', 'f', 'g'), await hintOf('base', 'othre')];
    rmSync(join(workspace.root, 'images/other'), { recursive: true });
    expect(missing).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `ccp: the plan file ${file} does not hold other\n  -> it holds base; make one with \`ccp plan -o FILE\``,
    });
    expect(hints).toEqual([
      '  -> it holds a, b, c, d, e and 2 more; make one with `ccp plan -o FILE`',
      '  -> the nearest that it holds is othre; make one with `ccp plan -o FILE`',
    ]);
    expect(await run('explain', 'base', '--against', `${file}.missing`)).toMatchObject({ exitCode: 2 });
  });
});

test('a stored image whose tests changed, or of whose tests nothing is known, is planned to be tested again, not built', async () => {
  pass('base', await store());
  define('budget: 1MB\n');
  const { stdout } = await run('plan');
  expect(stdout).toMatch(/^ {2}base +\S+ +reuse +its tests changed\n1 to test again, 0 as they are$/m);
  writeFileSync(state('tests/2026.1.json'), 'garbage');
  const reasons = ['no run of its tests is known that passed'];
  expect(await ccpJson(workspace.root, ['plan'], env)).toMatchObject({ images: [{ action: 'reuse', reasons }] });
});

test('an image of which the store lost a part is built again; a plan looks no further than its manifest', async () => {
  const digest = await store();
  pass('base', digest);
  expect(await run('build')).toMatchObject({ exitCode: 0 });
  const { manifest } = await ccpJson<{ readonly manifest: { readonly layers: readonly { readonly digest: Digest }[] } }>(
    workspace.root,
    ['inspect', 'base'],
    env,
  );
  const blob = (of: Digest): string => state(`store/blobs/sha256/${hexOf(of)}`);
  rmSync(blob(manifest.layers[0]!.digest));
  expect((await run('plan')).stdout).toMatch(/^nothing to do$/m);
  expect(await run('explain', 'base')).toMatchObject({ stdout: 'base: nothing changed, but what the store has of it is damaged or not all there' });
  expect(await run('run', 'base')).toMatchObject({ exitCode: 6, stderr: expect.stringContaining('base is built, but what the store has of it is damaged') });
  expect(await run('build')).toMatchObject({ exitCode: 5, stdout: '', stderr: expect.stringMatching(/not all there: base\n[^]*nothing\.sock/) });
  writeFileSync(blob(digest), '');
  expect((await run('plan')).stdout).toMatch(/^ {2}base +\S+ +build +what the store has of it is damaged or not all there\n1 to build, 0 as they are$/m);
  expect((await run('inspect', 'base')).stderr).toBe(
    'ccp: base is built, but what the store has of it is damaged or not all there\n  -> run `ccp build base`, or `ccp explain base` to see why',
  );
});

test('a build names the images that leave the image set, also those that it is not about', async () => {
  const write = (text: string): void => workspace.write('images/other/files/a', text);
  workspace.write('images/other/image.yaml', 'title: Other\ndescription: An image.\nroot: another base\nunlocked: true\n');
  workspace.write('images/other/Dockerfile.njk', 'FROM scratch\nCOPY files /\n');
  write('a\n');
  await run('lock', 'other');
  for (const name of ['base', 'other']) pass(name, await store(name));
  expect(await run('build')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^image set: \.ccp\/sets\/2026\.1\.json \(2 images\)$/m) });
  expect(parseImageSet(readFileSync(state('sets/2026.1.json'), 'utf8'), 'set').images.map(({ name, unlocked }) => [name, unlocked])).toEqual([
    ['base', undefined],
    ['other', true],
  ]);
  expect((await run('inspect', 'other')).stdout).toContain('unlocked     its steps had a network');
  expect((await run('build', 'base')).stdout).toMatch(/^nothing to do: 1 image of /);
  write('b\n');
  const shrunk = await run('build', 'base');
  expect(shrunk).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('\nleft the image set: other (changed since it was built)') });
  expect((await run('build', 'base')).stdout).toMatch(/^nothing to do: 1 image of /);
  rmSync(join(workspace.root, 'images/other'), { recursive: true });
});

test.each([['plan'], ['build'], ['clean'], ['clean', '--all'], ['down']])('says that the state folder is none: %s %s', async (...args) => {
  rmSync(state('.'), { recursive: true, force: true });
  writeFileSync(state('.'), '');
  expect(await run(...args)).toEqual({
    exitCode: 5,
    stdout: '',
    stderr: `ccp: ${state('.')} is not a folder\n  -> ccp keeps its state in a folder of that name: move what is there away`,
  });
  rmSync(state('.'));
});

test('the version is text, and JSON where that is asked for', async () => {
  const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { readonly version: string };
  expect((await ccpHere(REPOSITORY, ['--version'])).stdout).toBe(`${version}\n`);
  expect((await ccpHere(REPOSITORY, ['--version', '--json'])).stdout).toBe(`{"version":"${version}"}\n`);
});

import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Digest } from '#core';
import { openStore } from '#store';
import { ccp, ccpJson, REPOSITORY } from '../helpers/ccp.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { storePlannedImage } from '../helpers/store-planned-image.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

const SILENT =
  'image names of this workspace may remain on an engine: unix:///nothing.sock does not respond';

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

const store = async (): Promise<Digest> => await storePlannedImage(workspace.root, 'base', env);

/** A server on loopback. */
async function listening(
  answer?: RequestListener,
): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
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
  it('does nothing without a state folder', async () => {
    rmSync(state('.'), { recursive: true, force: true });
    expect(await run('clean')).toMatchObject({ exitCode: 0, stdout: 'nothing to clean' });
  });

  it('removes images that are in no image set, and the logs of all runs except the last', async () => {
    await store();
    for (const run of ['2', '1', '3']) mkdirSync(state(`logs/${run}`), { recursive: true });
    expect(await run('clean')).toMatchObject({
      exitCode: 0,
      stdout: '0 MB freed, 0 images kept',
      stderr: SILENT,
    });
    expect([readdirSync(state('logs')), existsSync(state('records'))]).toEqual([['3'], true]);
    expect(await run('inspect', 'base')).toMatchObject({ exitCode: 6 });
  });

  it('suggests a command that repairs a damaged store', async () => {
    await store();
    writeFileSync(state('store/index.json'), '{');
    const refused = await run('clean');
    expect(refused.exitCode).toBe(6);
    expect(refused.stderr).toContain('delete the store with `ccp clean --all` and build again');
    workspace.write('images/base/image.yaml', 'a definition that nobody can read');
    expect(await run('clean', '--all')).toMatchObject({
      exitCode: 0,
      stdout: '0 MB freed, 0 images kept',
      stderr: SILENT,
    });
    expect(existsSync(state('.'))).toBe(false);
  });

  it("removes the store's images from engines, also under its earlier ports", async () => {
    await store();
    const [gone, other] = await Promise.all([listening(), listening()]);
    gone.server.close();
    const own = Number(readFileSync(state('store/port'), 'utf8'));
    writeFileSync(state('store/port'), `${[own, gone.port, other.port].join('\n')}\n`);
    const digest = `base@sha256:${'1'.repeat(64)}`;
    const references = [
      `127.0.0.1:${own}/${digest}`,
      `127.0.0.1:${gone.port}/${digest}`,
      `127.0.0.1:${other.port}/${digest}`,
      `127.0.0.1:1/${digest}`,
    ];
    const forgotten: string[] = [];
    const engine = await listening(({ method, url }, response) => {
      if (method === 'DELETE')
        forgotten.push(decodeURIComponent(url!.replace(/^\/images\/|\?.*/g, '')));
      response.end(
        method === 'DELETE' || url?.startsWith('/containers/')
          ? '[]'
          : url === '/_ping'
            ? 'OK'
            : JSON.stringify([
                { RepoTags: [`127.0.0.1:${gone.port}/incoming/base:1`], RepoDigests: references },
              ]),
      );
    });
    const cleaned = await runInProcess(workspace.root, ['clean'], {
      ...env,
      DOCKER_HOST: `tcp://127.0.0.1:${engine.port}`,
    });
    for (const { server } of [other, engine]) server.close();
    expect(cleaned).toMatchObject({ exitCode: 0, stderr: '' });
    expect(forgotten).toEqual([
      `127.0.0.1:${gone.port}/incoming/base:1`,
      references[0],
      references[1],
    ]);
    expect(readFileSync(state('store/port'), 'utf8')).toBe(`${own}\n${other.port}\n`);
  });

  it('keeps the state of a running build', async () => {
    const opened = await openStore({ folder: state('store') });
    const refused = await ccp(workspace.root, ['clean', '--all'], env);
    await opened.close();
    expect(refused).toMatchObject({ exitCode: 6 });
    expect(existsSync(state('store/index.json'))).toBe(true);
  });

  it('reports a missing engine for --engine and --build-cache, and keeps the state', async () => {
    for (const run of ['1', '2']) mkdirSync(state(`logs/${run}`), { recursive: true });
    for (const flag of ['--engine', '--build-cache'])
      expect(await run('clean', flag)).toMatchObject({
        exitCode: 0,
        stdout: 'no private engine is running',
        stderr: '',
      });
    expect(readdirSync(state('logs'))).toEqual(['1', '2']);
  });
});

it('shows and prunes the cache, and refuses other actions', async () => {
  expect(await ccpJson(workspace.root, ['cache'], env, runInProcess)).toMatchObject({
    folder: env['CCP_CACHE'],
    entries: 0,
    size: 0,
  });
  expect(
    await ccpJson(workspace.root, ['cache', 'prune', '--days', '1'], env, runInProcess),
  ).toMatchObject({ freed: 0 });
  const wrong = await run('cache', 'purge');
  expect(wrong).toMatchObject({ exitCode: 2 });
  expect(wrong.stderr).toContain('use show or prune');
});

describe('inspect', () => {
  it('shows the parts of a stored image, and verifies each blob', async () => {
    const digest = await store();
    const { exitCode, stdout } = await run('inspect', 'base', '--verify');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^base 2026\.1-[0-9a-f]{32}\n/);
    expect(stdout).toContain(`${digest} (every blob verified)`);
  });

  it('explains how to build an image that is not stored, and refuses unknown images', async () => {
    const missing = await run('inspect', 'base');
    expect(missing).toMatchObject({ exitCode: 6 });
    expect(missing.stderr).toContain('run `ccp build base`');
    expect((await run('inspect', 'bas')).stderr).toContain('did you mean');
  });
});

it.each([['plan'], ['build'], ['clean'], ['clean', '--all'], ['down']])(
  'reports that the state folder is not a folder: %s %s',
  async (...args) => {
    rmSync(state('.'), { recursive: true, force: true });
    writeFileSync(state('.'), '');
    expect(await run(...args)).toEqual({
      exitCode: 5,
      stdout: '',
      stderr: `ccp: ${state('.')} is not a folder\n  -> ccp stores its state in a folder with this name: move the existing file away`,
    });
    rmSync(state('.'));
  },
);

it('prints the version as text, and as JSON on request', async () => {
  const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  expect((await runInProcess(REPOSITORY, ['--version'])).stdout).toBe(`${version}\n`);
  expect((await runInProcess(REPOSITORY, ['--version', '--json'])).stdout).toBe(
    `{"version":"${version}"}\n`,
  );
});

it('prints help as JSON on request', async () => {
  const help = async (...words: readonly string[]): Promise<Readonly<Record<string, unknown>>> =>
    JSON.parse((await run(...words)).stdout) as Readonly<Record<string, unknown>>;
  expect(await help('help', 'lock', '--json')).toMatchObject({
    command: 'ccp lock',
    arguments: [{ name: 'images', required: false, variadic: true }],
    options: [{ long: '--check' }, { long: '--update' }, { long: '--outdated' }],
    examples: expect.arrayContaining(['ccp lock --check']) as unknown,
    commands: [],
  });
  const all = await help('--json', 'help');
  expect(all['command']).toBe('ccp');
  expect(all['commands']).toContainEqual(await help('help', 'lock', '--json'));
});

it.each([
  ['ship --help', 'ccp ship', 'list the commands with `ccp --help`'],
  ['deploy foo', 'ccp deploy foo', 'list the commands with `ccp deploy --help`'],
  ['deploy foo --help', 'ccp deploy foo', 'list the commands with `ccp deploy --help`'],
  ['deploy aply --help', 'ccp deploy aply', 'did you mean "apply"?'],
  ['deploy action rn', 'ccp deploy action rn', 'did you mean "run"?'],
])('refuses the unknown command of `%s`', async (words, command, hint) => {
  expect(await run(...words.split(' '))).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `ccp: unknown command: ${command}\n  -> ${hint}`,
  });
});

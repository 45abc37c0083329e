import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildImages } from '../../tools/cli/src/compose/build-images.ts';
import { ccp } from '../helpers/ccp.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;

beforeEach(() => {
  workspace = testWorkspace();
  image('base', 'root: the base of the test', 'FROM scratch\nCOPY files /\n');
  workspace.write('images/base/files/a', 'a\n');
});

afterEach(() => workspace.remove());

function image(
  name: string,
  yaml: string,
  template = 'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\nCOPY files /\n',
): void {
  workspace.write(`images/${name}/image.yaml`, `title: ${name}\ndescription: An image.\n${yaml}\n`);
  workspace.write(`images/${name}/Dockerfile.njk`, template);
}

/**
 * Locks all images (without requests, so without network), then plans; returns the output for
 * people.
 */
async function plan(run = runInProcess): Promise<{ exitCode: number; text: string }> {
  const locked = await run(workspace.root, ['lock']);
  const result = locked.exitCode === 0 ? await run(workspace.root, ['plan']) : locked;
  return { exitCode: result.exitCode, text: result.stderr.trimEnd() };
}

/** Runs a command line; returns its exit code and output, with ROOT for the workspace's folder. */
async function said(...args: readonly string[]): Promise<readonly [number, string]> {
  const { exitCode, stderr } = await runInProcess(workspace.root, args);
  return [exitCode, stderr.replaceAll(workspace.root, 'ROOT')];
}

describe('definitions', () => {
  it('plans a valid workspace', async () => {
    expect(await plan(ccp)).toEqual({ exitCode: 0, text: '' });
  });

  it.each<[string, () => void, RegExp]>([
    [
      'cycle',
      () => (
        image('one', 'root: t\nparents: { base: two }'),
        image('two', 'root: t\nparents: { base: one }')
      ),
      /images\/one\/image\.yaml:4:\d+: .*cycle.*two/s,
    ],
    [
      'missing parent',
      () => image('one', 'root: t\nparents: { base: bas }'),
      /images\/one\/image\.yaml:4:\d+: .*"bas"[^]*did you mean "base"/,
    ],
    [
      'unknown key',
      () => image('one', 'root: t\nparent: { base: base }'),
      /images\/one\/image\.yaml:4:1: .*"parent"[^]*"parents"/,
    ],
    [
      'wrong type',
      () => image('one', 'root: t\nparents: base'),
      /images\/one\/image\.yaml:4:\d+: /,
    ],
    ['bad name', () => image('One', 'root: t'), /One/],
    [
      'duplicate user id',
      () => (
        image('one', 'user: { name: a, uid: 42000, gid: 42000, home: /a }'),
        image('two', 'user: { name: b, uid: 42000, gid: 42000, home: /b }')
      ),
      /42000/,
    ],
    ['duplicate key', () => image('one', 'root: t\nroot: again'), /images\/one\/image\.yaml:4:1: /],
    [
      'value with an instruction',
      () => image('one', 'root: t\nargs: { A: "1\\nRUN id" }'),
      /images\/one\/image\.yaml:4:\d+: /,
    ],
    [
      'alias bomb',
      () => image('one', 'root: t\nlabels: &a { x: y }\nargs: *a'),
      /images\/one\/image\.yaml:/,
    ],
  ])('%s', async (_, arrange, message) => {
    arrange();
    const { exitCode, text } = await plan();
    expect(text).toMatch(message);
    expect(exitCode).toBe(2);
  });
});

describe('templates', () => {
  it.each<[string, string, RegExp]>([
    ['unknown name', 'FROM scratch\nENV A={{ imge.name }}\n', /Dockerfile\.njk:2[^]*imge/],
    [
      'unknown filter',
      'FROM scratch\nENV A={{ image.name | shell }}\n',
      /Dockerfile\.njk:2[^]*shell/,
    ],
    [
      'for with if',
      'FROM scratch\n{% for a in [1] if a %}ENV A={{ a }}{% endfor %}\n',
      /Dockerfile\.njk:2/,
    ],
    [
      'prototype access',
      'FROM scratch\nENV A={{ image.constructor }}\n',
      /Dockerfile\.njk:2[^]*constructor/,
    ],
    [
      'frontend line',
      '# syntax=docker/dockerfile:1\nFROM scratch\n',
      /Dockerfile\.njk:1[^]*syntax/,
    ],
    ['foreign base', 'FROM debian:trixie\n', /Dockerfile\.njk:1[^]*allowed here: scratch\n?/],
    [
      'unknown macro',
      'FROM scratch\n{% import "_shared/m.njk" as m %}\n{{ m.rum() }}\n',
      /Dockerfile\.njk:3:5: unknown macro rum in m\n  -> did you mean run\?/,
    ],
    [
      'copy of what is not there',
      'FROM scratch\nCOPY files/a nothere /\n',
      /Dockerfile\.njk:2: COPY nothere: file not found in the build context[^]*did you mean files\/nothere\?/,
    ],
    ['download', 'FROM scratch\nADD https://localhost/x /x\n', /Dockerfile\.njk:2/],
  ])('%s', async (_, template, message) => {
    image('one', 'root: t', template);
    for (const file of ['a', 'nothere']) workspace.write(`images/one/files/${file}`, '');
    workspace.write('images/_shared/m.njk', '{% macro run() %}RUN id{% endmacro %}\n');
    const { exitCode, text } = await plan();
    expect(text).toMatch(message);
    expect(exitCode).toBe(2);
  });

  it('refuses a symlink out of the image folder', async () => {
    symlinkSync('/etc/passwd', join(workspace.root, 'images/base/files/passwd'));
    const { exitCode, text } = await plan();
    expect(text).toMatch(/images\/base\/files\/passwd/);
    expect(exitCode).toBe(2);
  });
});

describe('locks', () => {
  it.each<[string, string, number, string]>([
    [
      'a repository that is not there',
      'none',
      4,
      "git cannot fetch file://ROOT/none: fatal: 'ROOT/none' does not appear to be a git repository; fatal: Could not read from remote repository.\n  -> check the path: it must be a git repository that this user can read",
    ],
    [
      'a branch that is not there',
      'there',
      3,
      'file://ROOT/there has no tag or branch nobranch\n  -> correct "refs" of the source in image.yaml',
    ],
  ])('reports %s with its position', async (_, path, expected, message) => {
    execFileSync('git', ['init', '--quiet', '--bare', join(workspace.root, 'there')]);
    image(
      'one',
      `root: t\nsources: { x: { repository: "file://${workspace.root}/${path}", refs: { "2026.1": nobranch } } }`,
    );
    const { exitCode, stderr } = await runInProcess(workspace.root, ['lock', 'one'], {
      CCP_CACHE: join(workspace.root, 'cache'),
    });
    expect(stderr.replaceAll(workspace.root, 'ROOT')).toMatch(
      /ccp: images\/one\/image\.yaml:4:\d+: /,
    );
    expect(stderr.replaceAll(workspace.root, 'ROOT')).toContain(message);
    expect(exitCode).toBe(expected);
  });

  it('refuses a missing, an outdated and a changed lock, with the command to run', async () => {
    const missing = await runInProcess(workspace.root, ['plan']);
    expect(missing).toMatchObject({ exitCode: 3 });
    expect(missing.stderr).toContain('ccp lock --series 2026.1');

    expect((await plan()).exitCode).toBe(0);
    image(
      'base',
      'root: t\nsources: { x: { repository: "https://git.invalid/x", refs: { "2026.1": main } } }',
      'FROM scratch\n',
    );
    const stale = await runInProcess(workspace.root, ['plan']);
    expect(stale).toMatchObject({ exitCode: 3 });
    expect(stale.stderr).toMatch(/images\/base\/lock\/2026\.1\.yaml is out of date/);

    workspace.write(
      'images/base/lock/2026.1.yaml',
      'format: 1\nimage: base\nseries: "2026.1"\nchecksum: "0"\n',
    );
    const tampered = await runInProcess(workspace.root, ['lock', '--check']);
    expect(tampered).toMatchObject({ exitCode: 3 });
    expect(tampered.stdout).toContain(
      'images/base/lock/2026.1.yaml cannot be used: the lock has no checksum\n  -> run: ccp lock ',
    );
  });
});

it('reports named files that cannot be read, written or parsed', async () => {
  await plan();
  const at = (path: string): string => join(workspace.root, path);
  mkdirSync(at('folder'));
  workspace.write('other.json', '{"name":"ccp"}');
  const before = readdirSync(workspace.root);
  expect(await said('plan', '-o', at('folder'))).toEqual([
    2,
    'ccp: cannot write ROOT/folder: it is a folder\n  -> name a file\n',
  ]);
  expect(await said('plan', '-o', at('none/plan.json'))).toEqual([
    2,
    'ccp: cannot write ROOT/none/plan.json: no such file or folder\n  -> create its folder first: ROOT/none\n',
  ]);
  expect(await said('explain', 'base', '--against', at('none.json'))).toEqual([
    2,
    'ccp: cannot read ROOT/none.json: no such file or folder\n  -> make one with `ccp plan -o FILE`\n',
  ]);
  expect(await said('build', at('other.json'))).toEqual([
    2,
    'ccp: ROOT/other.json is not a plan: it has no format number\n  -> create it again with `ccp plan -o FILE`\n',
  ]);
  expect(readdirSync(workspace.root)).toEqual(before);
});

it('refuses a wrong app spec in a build of its image, but not in a plan or a build of another image', async () => {
  image('one', 'user: { name: one, uid: 42000, gid: 42000, home: /one }\nparents: { base: base }');
  workspace.write('images/one/app.yaml', 'schema: 99.0\nworkloads: {}\n');
  expect((await plan()).exitCode).toBe(0);
  const nowhere = ['--engine', 'unix:///nowhere/docker.sock'];
  const [exitCode, text] = await said('build', 'one', ...nowhere);
  expect([exitCode, text.split('\n')[0]]).toEqual([
    2,
    'ccp: images/one/app.yaml:1:1: the key "title" is missing',
  ]);
  expect((await said('build', 'base', ...nowhere))[0]).toBe(5);
  expect((await buildImages({ root: workspace.root, images: ['one'] })).get('one')).toEqual({
    status: 'failure',
    text: text.trimEnd(),
    milliseconds: expect.any(Number),
  });
});

it('refuses an address that is not an engine before it fetches files', async () => {
  await plan();
  const none = 'unix:///nowhere/docker.sock';
  expect(await said('build', '--engine', none, 'base')).toEqual([
    5,
    `ccp: the engine ${none} does not respond: connect ENOENT /nowhere/docker.sock\n  -> start the engine, or use another one: --engine, \`engines\` in .ccp.yaml, or DOCKER_HOST\n`,
  ]);
  expect(await said('build', '--engine', none, '--engine', 'base')).toEqual([
    2,
    'ccp: "base" is not a valid engine endpoint\n  -> use a socket like unix:///var/run/docker.sock or a local address like tcp://127.0.0.1:2375\n',
  ]);
});

it('refuses an unknown image, series, flag and command', async () => {
  await plan();
  expect(await said('plan', 'bas')).toEqual([2, expect.stringMatching(/"bas"[^]*base/)]);
  expect(await said('plan', '--series', '2026.2')).toEqual([2, expect.stringContaining('2026.2')]);
  expect(await said('plan', '--nope')).toEqual([
    2,
    expect.stringContaining('unknown option: --nope'),
  ]);
  expect(await said('cache', '--days', '3')).toEqual([
    2,
    'ccp: --days is only valid with prune\n  -> ccp cache prune --days 3\n',
  ]);
  expect(await said('run', 'base', 'id', '--version')).toEqual([
    6,
    expect.stringContaining('base is not built from its current definition'),
  ]);
  const unknown = 'ccp: unknown command: ccp pln\n  -> did you mean "plan"?\n';
  expect(await said('pln')).toEqual([2, unknown]);
  expect(await ccp(workspace.root, ['pln'])).toMatchObject({ exitCode: 2, stderr: unknown });
});

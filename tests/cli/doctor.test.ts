import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { REPOSITORY } from '../helpers/ccp.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;
beforeAll(() => {
  workspace = testWorkspace();
});
afterAll(() => workspace.remove());

interface Answer {
  readonly checks: readonly Readonly<Record<string, string>>[];
}

it('checks the machine with the settings of the workspace', async () => {
  const mirror = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await once(mirror, 'listening');
  const url = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/simple`;
  workspace.write('.ccp.yaml', `origin: archive\nmirrors: { python: ["${url}"] }\n`);
  const { exitCode, stdout } = await runInProcess(workspace.root, ['doctor', '--json'], {
    CCP_CACHE: join(workspace.root, 'cache'),
    DOCKER_HOST: 'unix:///nothing.sock',
    no_proxy: '127.0.0.1',
  });
  mirror.close();
  const { checks } = JSON.parse(stdout) as Answer;
  expect(exitCode).toBe(5);
  expect(checks[0]).toEqual({
    check: 'engine',
    outcome: 'failed',
    detail: 'the configured engine unix:///nothing.sock does not respond',
    hint: 'start the engine, or fix DOCKER_HOST or "engines" in the settings',
  });
  expect([...new Set(checks.map(({ check }) => check))]).toEqual([
    'engine',
    'git',
    'disk',
    'overlayfs',
    'cgroups',
    'namespaces',
    'ports',
    'addresses',
    'mirrors',
    'clock',
  ]);
  expect(checks.find(({ check }) => check === 'mirrors')).toEqual({
    check: 'mirrors',
    outcome: 'ok',
    detail: `${url} responds`,
  });
  expect(checks.at(-1)).toMatchObject({
    check: 'clock',
    outcome: 'ok',
    detail: expect.stringMatching(/^[\d-]+T[\d:]+Z, as on http/) as string,
  });
});

/** The findings of a run that ends with 5. */
async function failedChecks(env: Readonly<Record<string, string>> = {}): Promise<Answer['checks']> {
  const { exitCode, stdout } = await runInProcess(workspace.root, ['doctor', '--json'], {
    CCP_CACHE: join(workspace.root, 'cache'),
    DOCKER_HOST: 'unix:///nothing.sock',
    ...env,
  });
  expect(exitCode).toBe(5);
  return (JSON.parse(stdout) as Answer).checks;
}

it('checks the machine where the settings are invalid, and names their line', async () => {
  workspace.write('.ccp.yaml', 'mirrors:\n  npm: ["http://"]\n');
  const checks = await failedChecks();
  expect(checks[0]).toEqual({
    check: 'settings',
    outcome: 'failed',
    detail: '.ccp.yaml:2:9: the mirror is not a valid URL: http://',
    hint: 'write it as http://HOST[:PORT]/PATH or https://HOST[:PORT]/PATH',
  });
  expect(checks.at(-1)).toMatchObject({ check: 'clock', outcome: 'ok' });
  workspace.write('.ccp.yaml', 'origin: archive\n');
});

it('checks git and the owner of the repository', async () => {
  const git = (checks: Answer['checks']) => checks.find(({ check }) => check === 'git');
  expect(git(await failedChecks({ PATH: '/nonexistent' }))).toEqual({
    check: 'git',
    outcome: 'warning',
    detail: 'git is not installed; git sources, `ccp affected` and checks of a clone need it',
    hint: 'install the package git',
  });
  execFileSync('git', ['init', '--quiet'], { cwd: workspace.root });
  expect(git(await failedChecks())).toEqual({
    check: 'git',
    outcome: 'ok',
    detail: 'git is installed and reads the repository, if any',
  });
  const env = { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1', HOME: workspace.root };
  expect(git(await failedChecks(env))).toEqual({
    check: 'git',
    outcome: 'failed',
    detail: `git does not read ${workspace.root}: the repository belongs to another user ("dubious ownership")`,
    hint: `run the command as its owner, or trust it: git config --global --add safe.directory ${workspace.root}`,
  });
});

it('checks the machine outside a workspace', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ccp-doctor-'));
  const run = (...args: readonly string[]) =>
    spawnSync(`${REPOSITORY}/ccp`, ['doctor', '--json', ...args], { cwd, encoding: 'utf8' });
  const { checks } = JSON.parse(run().stdout) as Answer;
  expect(checks[0]).toEqual({
    check: 'workspace',
    outcome: 'warning',
    detail:
      'the current folder is in no workspace; only the machine and your own settings are checked',
    hint: 'run `ccp doctor` in a workspace, or select one with -C',
  });
  expect(checks.map(({ check }) => check)).toContain('overlayfs');
  expect(run('-C', cwd)).toMatchObject({ status: 2 });
  rmSync(cwd, { recursive: true });
});

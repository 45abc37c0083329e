import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isRunning } from '#host';
import { REPOSITORY } from '../helpers/ccp.ts';

// The install of the launcher, with a program of the test instead of npm.
let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'ccp-npm-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** The variables of a launcher whose npm is this script. */
function environment(name: string, npm: string): NodeJS.ProcessEnv & { readonly root: string } {
  const root = join(folder, name.replaceAll(/\W+/g, '-'));
  mkdirSync(root);
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(join(root, 'npm'), `#!/bin/sh\n[ "$1" = view ] && exit\n${npm}\n`, { mode: 0o755 });
  symlinkSync(process.execPath, join(root, 'node'));
  return {
    ...process.env,
    root,
    bootstrap: join(REPOSITORY, 'ci'),
    CCP_CACHE: join(folder, 'none'),
    PATH: `${root}:${process.env['PATH']}`,
  };
}

const launch = (env: NodeJS.ProcessEnv) =>
  spawn('/bin/sh', ['-euc', '. "$bootstrap/bootstrap.sh"'], {
    cwd: REPOSITORY,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });

// The rows wait at the same time.
it.concurrent.each([
  [
    'falls silent',
    { CCP_NPM_TIMEOUT: '1' },
    'echo $$ >"$root/pid"; echo "npm http fetch GET 200 https://registry/a 5ms"; trap "" TERM; exec sleep 300',
    'the registry has sent nothing for 1 s (CCP_NPM_TIMEOUT)',
  ],
  [
    'falls silent (with the variable of earlier versions)',
    { CCP_NPM_PATIENCE: '1' },
    'echo $$ >"$root/pid"; trap "" TERM; exec sleep 300',
    'the registry has sent nothing for 1 s (CCP_NPM_TIMEOUT)',
  ],
  [
    'fails',
    { CCP_NPM_TIMEOUT: '60' },
    'echo "npm http fetch GET https://registry/a attempt 1 failed with ECONNRESET"; echo "npm error code ECONNRESET"; exit 1',
    'code ECONNRESET',
  ],
])('reports a registry that %s, and ends npm', async (name, variables, install, reason) => {
  const { root, ...env } = environment(name, `{ ${install}; } >&2`);
  const launcher = launch({ root, ...env, ...variables });
  const [stderr, [status]] = await Promise.all([
    text(launcher.stderr),
    once(launcher, 'close') as Promise<[number | null]>,
  ]);
  expect(stderr).toBe(
    `ccp: installing npm packages from package-lock.json\nnpm error ${reason}\nccp: npm packages could not be installed (full npm output: ${root}/.ccp/npm.log)\n  -> run the command again: fetched packages are kept\n  -> see: npm config get registry; set a mirror with npm_config_registry or in ~/.npmrc, a proxy with HTTPS_PROXY\n`,
  );
  expect(status).toBe(5);
  if (existsSync(join(root, 'pid')))
    expect(isRunning(Number(readFileSync(join(root, 'pid'), 'utf8')))).toBe(false);
});

it.each(['SIGINT', 'SIGTERM'] as const)('stops npm on %s', async (signal) => {
  const { root, ...env } = environment(
    signal,
    'echo $$ >"$root/new" && mv "$root/new" "$root/pid"\ntrap "" TERM\nexec sleep 300',
  );
  const launcher = launch({ root, ...env });
  launcher.stderr.resume();
  const ended = once(launcher, 'exit');
  await expect.poll(() => existsSync(join(root, 'pid'))).toBe(true);
  launcher.kill(signal);
  expect(await ended).toEqual([128 + constants.signals[signal], null]);
  const pid = Number(readFileSync(join(root, 'pid'), 'utf8'));
  await expect.poll(() => isRunning(pid)).toBe(false);
});

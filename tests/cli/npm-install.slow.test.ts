import { spawn, spawnSync } from 'node:child_process';
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
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isRunning } from '#host';
import { REPOSITORY } from '../support/ccp.ts';

// The install of the launcher, with a program of the test instead of npm.
let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'ccp-npm-'))));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  [
    'falls silent',
    'CCP_NPM_TIMEOUT',
    'echo $$ >"$root/pid"; echo "npm http fetch GET 200 https://registry/a 5ms"; trap "" TERM; exec sleep 300',
    'the registry has sent nothing for 1 s (CCP_NPM_TIMEOUT)',
  ],
  [
    'falls silent (with the variable of earlier versions)',
    'CCP_NPM_PATIENCE',
    'echo $$ >"$root/pid"; trap "" TERM; exec sleep 300',
    'the registry has sent nothing for 1 s (CCP_NPM_TIMEOUT)',
  ],
  [
    'dies',
    'CCP_NPM_TIMEOUT',
    'echo "npm http fetch GET https://registry/a attempt 1 failed with ECONNRESET"; echo "npm error code ECONNRESET"; exit 1',
    'code ECONNRESET',
  ],
])(
  'a registry of npm that %s in the middle is told, and ends it',
  (name, variable, install, said) => {
    const root = join(folder, name.replaceAll(/\W+/g, '-'));
    mkdirSync(root);
    writeFileSync(join(root, 'package-lock.json'), '{}');
    writeFileSync(join(root, 'npm'), `#!/bin/sh\n[ "$1" = view ] && exit\n{ ${install}; } >&2\n`, {
      mode: 0o755,
    });
    symlinkSync(process.execPath, join(root, 'node'));
    const env = {
      ...process.env,
      root,
      bootstrap: join(REPOSITORY, 'ci'),
      CCP_CACHE: join(folder, 'none'),
      [variable]: '1',
      PATH: `${root}:${process.env['PATH']}`,
    };
    const { status, stderr } = spawnSync('/bin/sh', ['-euc', '. "$bootstrap/bootstrap.sh"'], {
      cwd: REPOSITORY,
      env,
      encoding: 'utf8',
    });
    expect(stderr).toBe(
      `ccp: installing npm packages from package-lock.json\nnpm error ${said}\nccp: npm packages could not be installed (full npm output: ${root}/.ccp/npm.log)\n  -> run the command again: fetched packages are kept\n  -> see: npm config get registry; set a mirror with npm_config_registry or in ~/.npmrc, a proxy with HTTPS_PROXY\n`,
    );
    expect(status).toBe(5);
    if (existsSync(join(root, 'pid')))
      expect(isRunning(Number(readFileSync(join(root, 'pid'), 'utf8')))).toBe(false);
  },
);

it.each(['SIGINT', 'SIGTERM'] as const)('stops npm on %s', async (signal) => {
  const root = join(folder, signal);
  mkdirSync(root);
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(
    join(root, 'npm'),
    '#!/bin/sh\n[ "$1" = view ] && exit\necho $$ >"$root/new" && mv "$root/new" "$root/pid"\ntrap "" TERM\nexec sleep 300\n',
    {
      mode: 0o755,
    },
  );
  symlinkSync(process.execPath, join(root, 'node'));
  const env = {
    ...process.env,
    root,
    bootstrap: join(REPOSITORY, 'ci'),
    CCP_CACHE: join(folder, 'none'),
    PATH: `${root}:${process.env['PATH']}`,
  };
  const launcher = spawn('/bin/sh', ['-euc', '. "$bootstrap/bootstrap.sh"'], {
    cwd: REPOSITORY,
    env,
    stdio: 'ignore',
  });
  const ended = once(launcher, 'exit');
  await expect.poll(() => existsSync(join(root, 'pid'))).toBe(true);
  launcher.kill(signal);
  expect(await ended).toEqual([128 + constants.signals[signal], null]);
  const pid = Number(readFileSync(join(root, 'pid'), 'utf8'));
  await expect.poll(() => isRunning(pid)).toBe(false);
});

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
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { REPOSITORY } from '../helpers/ccp.ts';

// The install of the launcher, with a program instead of npm that installs as slowly and in the
// same order: the files of each package, then its own record of them.
const PACKAGES = ['one', 'two', '@scope/three', 'four'];
const LAUNCHER = ['-euc', '. "$bootstrap/bootstrap.sh"'];
const FILES = ['index.js', 'raw.js', 'package.json'];
const NPM = `#!/bin/sh
[ "$1" = view ] && exit
echo "$1" >>"$root/calls"
rm -rf node_modules
for package in ${PACKAGES.join(' ')}; do
  mkdir -p "node_modules/$package"
  for file in ${FILES.join(' ')}; do sleep 0.02; cp package-lock.json "node_modules/$package/$file"; done
done
sleep 0.02
cp package-lock.json node_modules/.package-lock.json
`;

const INSTALLING = 'ccp: installing npm packages from package-lock.json\n';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'ccp-npm-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** A repository whose packages the launcher installs. */
function openTree() {
  const root = mkdtempSync(join(folder, 'root-'));
  mkdirSync(join(root, 'bin'));
  writeFileSync(join(root, 'bin/npm'), NPM, { mode: 0o755 });
  symlinkSync(process.execPath, join(root, 'bin/node'));
  const environment: NodeJS.ProcessEnv = {
    ...process.env,
    root,
    bootstrap: join(REPOSITORY, 'ci'),
    CCP_CACHE: join(folder, 'none'),
    PATH: `${root}/bin:${process.env['PATH']}`,
  };
  const textOf = (path: string): string | undefined =>
    existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
  const tree = {
    root,
    environment,
    textOf,
    /** Writes a lock of another version of each package. */
    lock: (version: number): void => {
      const packages = PACKAGES.map((name) => [
        `node_modules/${name}`,
        { version: `${version}.0.0`, integrity: `sha512-${name}` },
      ]);
      writeFileSync(
        join(root, 'package-lock.json'),
        JSON.stringify({ packages: Object.fromEntries(packages) as object }),
      );
    },
    launch: (): ReturnType<typeof spawn> =>
      spawn('/bin/sh', LAUNCHER, { detached: true, stdio: 'ignore', env: environment }),
    launched: (env: NodeJS.ProcessEnv = {}): readonly [number | null, string] => {
      const { status, stderr } = spawnSync('/bin/sh', LAUNCHER, {
        encoding: 'utf8',
        env: { ...environment, ...env },
      });
      return [status, stderr];
    },
    /** True if the installed tree claims to match the lock. */
    isComplete: (): boolean =>
      textOf('node_modules/.ccp-lock.json') === textOf('package-lock.json'),
    /** Files that are missing or of another version, in a tree that claims to match the lock. */
    wrongFiles: (): readonly string[] => {
      if (!tree.isComplete()) return [];
      const files = PACKAGES.flatMap((name) => FILES.map((file) => `node_modules/${name}/${file}`));
      return files.filter((path) => textOf(path) !== textOf('package-lock.json'));
    },
    callsOfNpm: (): number => (textOf('calls') ?? '').split('\n').length - 1,
  };
  tree.lock(1);
  return tree;
}

/** Kills installs of a tree at random times; returns the number of installs that completed. */
async function killInstalls(kills: number): Promise<number> {
  const tree = openTree();
  let completed = 0;
  for (let time = 0; time < kills; time += 1) {
    const child = tree.launch();
    const ended = once(child, 'exit');
    await Promise.race([ended, delay(50 + Math.random() * 1500)]);
    // With all its child processes, or alone; then its npm continues.
    const target = time % 2 === 0 ? -child.pid! : child.pid!;
    if (child.exitCode === null) process.kill(target, 'SIGKILL');
    await ended;
    expect([time, tree.wrongFiles()]).toEqual([time, []]);
    if (tree.isComplete()) tree.lock((completed += 1) + 1);
  }
  expect(tree.launched()[0]).toBe(0);
  expect(tree.wrongFiles()).toEqual([]);
  expect([
    tree.textOf('node_modules/one/raw.js'),
    existsSync(join(tree.root, '.npm-install')),
  ]).toEqual([tree.textOf('package-lock.json'), false]);
  return completed;
}

it('leaves no incomplete tree that a later run uses after 30 kills', async () => {
  const completed = await Promise.all(Array.from({ length: 5 }, () => killInstalls(6)));
  expect(completed.reduce((sum, each) => sum + each)).toBeLessThan(30);
});

it('runs npm once for two parallel installs, and reports the wait', async () => {
  const { launch, launched, textOf, callsOfNpm, wrongFiles } = openTree();
  const first = launch();
  const ended = once(first, 'exit');
  await expect.poll(() => textOf('.ccp/npm.lock')).toBe(`${first.pid}\n`);
  expect(launched()).toEqual([
    0,
    `ccp: waiting for process ${first.pid}, which installs npm packages here\n`,
  ]);
  expect([await ended, callsOfNpm(), wrongFiles()]).toEqual([[0, null], 1, []]);
});

it('reports the wait for an install whose process is not known', async () => {
  const { root, launched } = openTree();
  mkdirSync(join(root, '.ccp'));
  const holder = spawn('flock', [join(root, '.ccp/npm.lock'), 'sleep', '1'], { stdio: 'ignore' });
  const ended = once(holder, 'exit');
  await expect
    .poll(() => spawnSync('flock', ['-n', join(root, '.ccp/npm.lock'), 'true']).status)
    .toBe(1);
  expect(launched()).toEqual([
    0,
    `ccp: waiting for another ccp, which installs npm packages here\n${INSTALLING}`,
  ]);
  await ended;
});

it('installs again after a killed npm changed the tree', () => {
  const { root, launched, wrongFiles, callsOfNpm } = openTree();
  expect(launched()).toEqual([0, INSTALLING]);
  expect(launched()).toEqual([0, '']);
  mkdirSync(join(root, 'node_modules/.two-Ab3dE6gH'));
  rmSync(join(root, 'node_modules/two/raw.js'));
  expect(wrongFiles()).toEqual(['node_modules/two/raw.js']);
  expect(launched()).toEqual([0, INSTALLING]);
  expect([launched(), wrongFiles(), callsOfNpm()]).toEqual([[0, ''], [], 2]);
});

it('does not install again after another program wrote its cache to node_modules', () => {
  const { root, launched, callsOfNpm } = openTree();
  expect(launched()).toEqual([0, INSTALLING]);
  mkdirSync(join(root, 'node_modules/.vite'));
  expect([launched(), callsOfNpm()]).toEqual([[0, ''], 1]);
});

it('accepts packages of a manual npm ci', () => {
  const { root, environment, launched, wrongFiles, callsOfNpm } = openTree();
  spawnSync(join(root, 'bin/npm'), ['ci'], { cwd: root, env: environment });
  expect(launched()).toEqual([0, '']);
  expect([wrongFiles(), callsOfNpm()]).toEqual([[], 1]);
});

it('refuses a timeout that is not a number of seconds', () => {
  expect(openTree().launched({ CCP_NPM_TIMEOUT: '5m' })).toEqual([
    2,
    'ccp: CCP_NPM_TIMEOUT is not a number of seconds: 5m\n  -> set it to a whole number from 1 on, or unset it\n',
  ]);
});

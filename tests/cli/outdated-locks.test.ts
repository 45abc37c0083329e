import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ccpJson } from '../helpers/ccp.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;
let env: Readonly<Record<string, string>>;

const IDENTITY = ['-c', 'user.name=T', '-c', 'user.email=t@example.test'];
const git = (...args: readonly string[]): string =>
  execFileSync('git', [...IDENTITY, ...args], {
    cwd: join(workspace.root, 'upstream'),
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
  }).trim();

/** Commits to the branch; returns the start of the commit as locks show it. */
function commit(message: string): string {
  git('commit', '-q', '--allow-empty', '-m', message);
  return git('rev-parse', 'HEAD').slice(0, 12);
}

beforeAll(() => {
  workspace = testWorkspace('git');
  env = { CCP_CACHE: join(workspace.root, 'cache') };
  workspace.write('upstream/README', 'an application\n');
  git('init', '-q', '-b', 'main');
  workspace.write(
    'images/base/image.yaml',
    'title: Base\ndescription: An image.\nroot: the base of the test\n',
  );
  workspace.write(
    'images/app/image.yaml',
    `title: App\ndescription: An image.\nroot: a test\nparents: { base: base }\nsources:\n  app: { repository: "file://${workspace.root}/upstream", refs: { "2026.1": main } }\n`,
  );
  for (const name of ['base', 'app'])
    workspace.write(`images/${name}/Dockerfile.njk`, 'FROM scratch\n');
});
afterAll(() => workspace.remove());

it('shows the changes of an update, and writes no lock', async () => {
  const run = async (...args: readonly string[]) =>
    await runInProcess(workspace.root, ['lock', '-q', ...args], env);
  const lock = (): string =>
    readFileSync(join(workspace.root, 'images/app/lock/2026.1.yaml'), 'utf8');
  const first = commit('one');
  expect(await run()).toMatchObject({ exitCode: 0 });
  expect(await run('--outdated')).toEqual({
    exitCode: 0,
    stdout: 'an update would change none of 2 locks\n',
    stderr: '',
  });
  const before = lock();
  const second = commit('two');
  const change = `main (${first}) -> main (${second})`;
  expect(await run('--outdated')).toEqual({
    exitCode: 0,
    stdout: `app 2026.1
  sources
    ~ app ${change}
an update would change 1 of 2 locks
  -> run: ccp lock app --update --series 2026.1
`,
    stderr: '',
  });
  expect((await run('--outdated', 'app')).stdout).toMatch(
    /^an update would change the lock\n {2}-> run: ccp lock app --update --series 2026\.1\n$/m,
  );
  expect(await ccpJson(workspace.root, ['lock', '--outdated', 'app'], env, runInProcess)).toEqual({
    series: '2026.1',
    images: [
      {
        image: 'app',
        file: 'images/app/lock/2026.1.yaml',
        outdated: true,
        changes: [
          {
            section: 'sources',
            name: 'app',
            before: `main (${first})`,
            after: `main (${second})`,
          },
        ],
      },
    ],
  });
  expect(lock()).toBe(before);
  expect(await run('--update')).toMatchObject({ exitCode: 0 });
  expect(lock()).not.toBe(before);
});

it.each([
  ['--check', '--update'],
  ['--check', '--outdated'],
  ['--update', '--outdated'],
])('refuses %s with %s', async (...flags) => {
  expect(await runInProcess(workspace.root, ['lock', ...flags], env)).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: `ccp: ${flags.join(' and ')} cannot be used together\n  -> leave out one of them\n`,
  });
});

import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runInProcess } from '../../../../tests/helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../../../../tests/helpers/workspace.ts';

let workspace: TestWorkspace;
const git = (...args: readonly string[]) =>
  execFileSync('git', args, {
    cwd: workspace.root,
    env: { PATH: process.env['PATH'], HOME: workspace.root },
  });

beforeEach(async () => {
  workspace = testWorkspace();
  workspace.write(
    'images/base/image.yaml',
    'title: Base\ndescription: An image.\nroot: the base of the test\n',
  );
  workspace.write('images/base/Dockerfile.njk', 'FROM scratch\nCOPY files /\n');
  for (const file of ['a', 'a.log', 'b.log', 'kept.log', 'node_modules/c'])
    workspace.write(`images/base/files/${file}`, 'x\n');
  expect(await runInProcess(workspace.root, ['lock'])).toMatchObject({ exitCode: 0 });
});
afterEach(() => workspace.remove());

const environment = () => ({
  CCP_CACHE: `${workspace.root}/cache`,
  HOME: workspace.root,
  GIT_CONFIG_NOSYSTEM: '1',
});

/** Output of a build until it fails for a missing engine. */
async function warned(): Promise<string> {
  const { stderr } = await runInProcess(
    workspace.root,
    ['build', '--engine', 'unix:///nothing.sock'],
    environment(),
  );
  expect(stderr).toContain('nothing.sock');
  return gitLines(stderr);
}

function gitLines(stderr: string): string {
  return stderr
    .split('\n')
    .filter((line) => line.includes('git '))
    .join('\n');
}

test('warns in a build of files that git ignores, but not of tracked files or outside a repository', async () => {
  expect(await warned()).toBe('');
  git('init', '--quiet');
  expect(await warned()).toBe('');
  workspace.write('.gitignore', '*.log\n!kept.log\n');
  expect(await warned()).toBe(
    'images/base/files/a.log and 1 more are in base, but git ignores them (.gitignore:1: *.log), so a clone gets another fingerprint; add them with `git add -f`, or remove them',
  );
  git('add', '--force', 'images/base/files/a.log', 'images/base/files/b.log');
  expect(await warned()).toBe('');
  workspace.write('.git/info/exclude', 'node_modules/\n');
  expect(await warned()).toBe(
    'images/base/files/node_modules/c is in base, but git ignores it (.git/info/exclude:1: node_modules/), so a clone gets another fingerprint; add it with `git add -f`, or remove it',
  );
});

test('prints the same warning on stderr in a plan', async () => {
  git('init', '--quiet');
  workspace.write('.gitignore', 'a\n');
  const { stdout, stderr } = await runInProcess(workspace.root, ['plan', '--json'], environment());
  expect(gitLines(stderr)).toBe(
    'images/base/files/a is in base, but git ignores it (.gitignore:1: a), so a clone gets another fingerprint; add it with `git add -f`, or remove it',
  );
  expect(JSON.parse(stdout)).toMatchObject({ images: [{ image: 'base', action: 'build' }] });
});

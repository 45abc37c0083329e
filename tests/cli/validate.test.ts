import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;
const path = (name: string): string => join(workspace.root, 'images/base/files', name);
const git = (...args: readonly string[]): string =>
  execFileSync('git', args, {
    cwd: workspace.root,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: workspace.root },
  });
const runWith = (env: Readonly<Record<string, string>>, ...args: readonly string[]) =>
  runInProcess(workspace.root, args, { HOME: workspace.root, GIT_CONFIG_NOSYSTEM: '1', ...env });
const run = (...args: readonly string[]) => runWith({}, ...args);
const valid = { exitCode: 0, stdout: 'series 2026.1, 1 image is valid\n', stderr: '' };

beforeEach(async () => {
  workspace = testWorkspace();
  workspace.write(
    'images/base/image.yaml',
    'title: Base\ndescription: An image.\nroot: the base of the test\n',
  );
  workspace.write('images/base/Dockerfile.njk', 'FROM scratch\nCOPY files /\n');
  workspace.write('images/base/files/run', '#!/bin/sh\n', 0o755);
  workspace.write('images/base/files/text', 'a\n');
  symlinkSync('text', path('link'));
  expect(await run('lock')).toMatchObject({ exitCode: 0 });
});
afterEach(() => workspace.remove());

it('refuses a checkout that lost modes and links, which git does not show', async () => {
  expect(await run('validate')).toEqual(valid);
  git('init', '--quiet');
  git('add', '--all');
  expect(await run('validate')).toEqual(valid);
  git('config', 'core.fileMode', 'false');
  git('config', 'core.symlinks', 'false');
  for (const name of ['run', 'text', 'link']) rmSync(path(name));
  git('checkout', '--', 'images');
  chmodSync(path('run'), 0o644);
  chmodSync(path('text'), 0o755);
  expect(git('diff', '--name-only')).toBe('');
  const line =
    "images/base/files/link is a file here, but a link in git's index; images/base/files/run is not executable here, but is in git's index; images/base/files/text is executable here, but not in git's index, so a clone gets another fingerprint; commit the change (git add, git update-index --chmod), or check out the files on a file system with modes and links";
  expect(await run('validate')).toEqual({ exitCode: 2, stdout: '', stderr: `ccp: ${line}\n` });
  expect(await run('plan')).toMatchObject({ exitCode: 0, stderr: `${line}\n` });
});

it('refuses a repository below files/, and a submodule that is not checked out', async () => {
  git('init', '--quiet');
  mkdirSync(path('sub'));
  writeFileSync(path('sub/.git'), 'gitdir: elsewhere\n');
  writeFileSync(path('sub/a'), 'a\n');
  expect(await run('plan')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr:
      'ccp: images/base/files/sub/.git belongs to a git repository, and no clone of this one has it\n  -> remove it and commit the files themselves, or add the repository as a source of the image\n',
  });
  rmSync(path('sub'), { recursive: true });
  const commit = 'a'.repeat(40);
  git('update-index', '--add', '--cacheinfo', `160000,${commit},images/base/files/sub`);
  expect(await run('validate')).toMatchObject({
    exitCode: 2,
    stderr:
      'ccp: images/base/files/sub is a submodule, whose files a clone may lack; commit the files themselves, or add it as a source of the image\n',
  });
});

describe('where git cannot read the repository', () => {
  // An owner other than this user, for git; see its t/t0033-safe-directory.sh.
  const otherOwner = { GIT_TEST_ASSUME_DIFFERENT_OWNER: '1' };
  const noGit = () => ({ PATH: join(workspace.root, 'images') });
  const owner = () =>
    `git does not read ${workspace.root}: the repository belongs to another user ("dubious ownership")`;
  const trust = () =>
    `run the command as its owner, or trust it: git config --global --add safe.directory ${workspace.root}`;

  it('refuses to call the images valid', async () => {
    git('init', '--quiet');
    expect(await runWith(otherOwner, 'validate')).toEqual({
      exitCode: 5,
      stdout: '',
      stderr: `ccp: ${owner()}\n  -> ${trust()}\n`,
    });
    expect(await runWith(noGit(), 'validate')).toEqual({
      exitCode: 5,
      stdout: '',
      stderr: 'ccp: git is not installed\n  -> install the package git\n',
    });
    writeFileSync(join(workspace.root, '.git/index'), 'broken');
    expect(await run('validate')).toEqual({
      exitCode: 5,
      stdout: '',
      stderr: `ccp: git check-ignore failed in ${workspace.root}: fatal: .git/index: index file smaller than expected\n  -> repair the repository; \`git status\` there shows the same error\n`,
    });
  });

  it('checks the images without a repository', async () => {
    expect(await runWith(noGit(), 'validate')).toEqual(valid);
  });

  it('plans, and says what it did not check', async () => {
    git('init', '--quiet');
    const notChecked = 'not checked that a clone gets the same fingerprints';
    expect(await runWith(otherOwner, 'plan')).toMatchObject({
      exitCode: 0,
      stderr: `${notChecked}: ${owner()}; ${trust()}\n`,
    });
    expect(await runWith(noGit(), 'plan')).toMatchObject({
      exitCode: 0,
      stderr: `${notChecked}: git is not installed; install the package git\n`,
    });
  });

  it('names the owner in `ccp affected`', async () => {
    git('init', '--quiet');
    expect(await runWith(otherOwner, 'affected')).toEqual({
      exitCode: 5,
      stdout: '',
      stderr: `ccp: ${owner()}\n  -> ${trust()}\n`,
    });
  });
});

it('checks app specs', async () => {
  workspace.write('images/base/app.yaml', 'schema: 1.0.0\nunknown: 1\n');
  expect(await run('validate')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('images/base/app.yaml:'),
  });
});

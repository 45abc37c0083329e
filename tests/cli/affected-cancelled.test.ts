import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ccp } from '../helpers/ccp.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;
let temporary: string;

beforeEach(() => {
  workspace = testWorkspace();
  temporary = join(workspace.root, '.ccp/tmp');
  mkdirSync(temporary, { recursive: true });
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
      cwd: workspace.root,
    });
  workspace.write('.gitignore', '.ccp\n');
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
});

afterEach(() => workspace.remove());

it('removes its temporary folder after Ctrl-C', async () => {
  const real = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();
  // A git that interrupts ccp while ccp writes the files of the commit.
  workspace.write(
    '.ccp/bin/git',
    `#!/bin/sh\ncase "$*" in *--batch*) kill -INT $PPID;; esac\nexec ${real} "$@"\n`,
  );
  chmodSync(join(workspace.root, '.ccp/bin/git'), 0o755);
  const PATH = `${join(workspace.root, '.ccp/bin')}:${process.env['PATH']}`;
  expect(await ccp(workspace.root, ['affected'], { PATH, TMPDIR: temporary })).toEqual({
    exitCode: 130,
    stdout: '',
    stderr: 'cancelling; interrupt again to stop immediately\nccp: the comparison was cancelled\n',
  });
  expect(readdirSync(temporary)).toEqual([]);
});

it('removes the temporary folders of killed runs', async () => {
  const killed = spawnSync('true').pid;
  for (const [name, age] of [
    [`ccp-commit-${killed}-aaaaaa`, 120],
    [`ccp-commit-${killed}-recent`, 0],
    [`ccp-commit-${process.pid}-aaaaaa`, 120],
  ] as const) {
    mkdirSync(join(temporary, name, 'files'), { recursive: true });
    const then = Date.now() / 1000 - age;
    utimesSync(join(temporary, name), then, then);
  }
  expect(await ccp(workspace.root, ['affected'], { TMPDIR: temporary })).toMatchObject({
    exitCode: 0,
  });
  expect(readdirSync(temporary).sort()).toEqual(
    [`ccp-commit-${killed}-recent`, `ccp-commit-${process.pid}-aaaaaa`].sort(),
  );
});

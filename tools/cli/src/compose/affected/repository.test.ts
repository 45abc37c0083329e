import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openRepository } from './repository.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'ccp-repository-')));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

it('opens the repository of the workspace in a hook of another repository', () => {
  for (const name of ['own', 'other'])
    execFileSync('git', ['init', '--quiet', join(folder, name)], { stdio: 'ignore' });
  mkdirSync(join(folder, 'own/site'));
  const other = join(folder, 'other');
  vi.stubEnv('GIT_DIR', join(other, '.git'));
  vi.stubEnv('GIT_WORK_TREE', other);
  vi.stubEnv('GIT_INDEX_FILE', join(other, '.git/index'));
  vi.stubEnv('GIT_PREFIX', 'images/');
  const repository = openRepository(join(folder, 'own/site'));
  expect(repository).toMatchObject({ top: join(folder, 'own'), prefix: 'site' });
  expect(repository.git(['rev-parse', '--absolute-git-dir']).toString()).toBe(
    `${join(folder, 'own/.git')}\n`,
  );
});

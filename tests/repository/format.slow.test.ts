import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

const root = new URL('../..', import.meta.url).pathname;

it('every source is as "npm run format" writes it', () => {
  const { status, stdout, stderr } = spawnSync('node_modules/.bin/prettier', ['--list-different', 'tools/**/*.ts', 'tests/**/*.ts'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect([status, stdout, stderr]).toEqual([0, '', '']);
});

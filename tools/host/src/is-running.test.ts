import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { isRunning } from './is-running.ts';

it('knows a process that runs from one that has ended', () => {
  expect(isRunning(process.pid)).toBe(true);
  expect(isRunning(spawnSync('true').pid)).toBe(false);
});

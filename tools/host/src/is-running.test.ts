import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { isRunning } from './is-running.ts';

it('distinguishes a running process from an ended one', () => {
  expect(isRunning(process.pid)).toBe(true);
  expect(isRunning(spawnSync('true').pid)).toBe(false);
});

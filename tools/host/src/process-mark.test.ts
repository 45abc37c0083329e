import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { hasEnded, processMark } from './process-mark.ts';

it('recognises an ended process of this machine, also if its number was reused, and ignores other machines', async () => {
  const child = spawn('sleep', ['60']);
  const mark = processMark(child.pid)!;
  expect([hasEnded(mark), hasEnded(processMark()!)]).toEqual([false, false]);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(hasEnded(mark)).toBe(true);
  expect(hasEnded(processMark()!.replace(/\d+$/, '1'))).toBe(true);
  expect(hasEnded(mark.replace(/^./, 'x'))).toBe(false);
  expect(hasEnded('nonsense')).toBe(false);
});

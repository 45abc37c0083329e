import { expect, test } from 'vitest';
import { interruptSignal } from './interrupt.ts';

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s cancels, and is the default again once the work is over', (name) => {
  const before = process.listenerCount(name);
  const said: string[] = [];
  const { signal, done } = interruptSignal((text) => said.push(text));
  process.emit(name);
  // A terminal that closes may send it twice: to the group in front, and by the shell.
  if (name === 'SIGHUP') process.emit(name);
  expect([signal.aborted, said]).toEqual([true, ['cancelling; again to end at once']]);
  done();
  expect(process.listenerCount(name)).toBe(before);
});

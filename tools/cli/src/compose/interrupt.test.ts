import { expect, test } from 'vitest';
import { interruptSignal } from './interrupt.ts';

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s cancels the work, and has its default action again afterwards',
  (name) => {
    const before = process.listenerCount(name);
    const printed: string[] = [];
    const { signal, done } = interruptSignal((text) => printed.push(text));
    process.emit(name);
    // A terminal that closes may send it twice: to the group in front, and by the shell.
    if (name === 'SIGHUP') process.emit(name);
    expect([signal.aborted, printed]).toEqual([
      true,
      ['cancelling; interrupt again to stop immediately'],
    ]);
    done();
    expect(process.listenerCount(name)).toBe(before);
  },
);

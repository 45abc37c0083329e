import type { Clock } from '../clock.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
/** Rounds of the event loop that finish all work that does not wait for the clock. */
const ROUNDS = 3;

/**
 * A clock that stops while anything can run and then jumps to the first sleeper: hours pass in
 * milliseconds, always in the same order. Code that uses it must wait for nothing but the clock and
 * other promises. `start` is in milliseconds since 1970.
 */
export function virtualClock(start = START): Clock & { readonly elapsed: () => number } {
  let now = start;
  let ticking = false;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  const tick = async (): Promise<void> => {
    if (ticking) return;
    ticking = true;
    while (sleepers.size > 0) {
      for (let round = 0; round < ROUNDS; round++)
        await new Promise((resolve) => setImmediate(resolve));
      const next = [...sleepers].sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      now = Math.max(now, next.at);
      sleepers.delete(next);
      next.wake();
    }
    ticking = false;
  };
  return {
    now: () => now,
    elapsed: () => (now - start) / 1000,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const sleeper = { at: now + milliseconds, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener(
          'abort',
          () => {
            sleepers.delete(sleeper);
            resolve();
          },
          { once: true },
        );
        void tick();
      }),
  };
}

import type { Clock } from './types.ts';

/**
 * A clock that stands still while anything can go on, and then jumps to the next sleeper: hours of building in milliseconds,
 * always in the same order. What runs by it must wait for nothing but the clock and other promises.
 */
export function virtualClock(): Clock {
  let now = 0;
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  const advance = (): void => {
    let first: { readonly until: number; readonly wake: () => void } | undefined;
    for (const sleeper of sleepers) if (first === undefined || sleeper.until < first.until) first = sleeper;
    if (first === undefined) return;
    sleepers.delete(first);
    now = Math.max(now, first.until);
    first.wake();
  };
  return {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const sleeper = { until: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener(
          'abort',
          () => {
            sleepers.delete(sleeper);
            resolve();
          },
          { once: true },
        );
        setImmediate(advance);
      }),
  };
}

import type { Clock } from '#ports';

/** A clock that runs `pace` times as fast as real time; requests are not accelerated. */
export function quickClock(pace: number): Clock {
  const start = Date.now();
  return {
    now: () => start + (Date.now() - start) * pace,
    sleep: (milliseconds, signal) =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, milliseconds / pace);
        if (signal?.aborted === true) resolve();
        signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
      }),
  };
}

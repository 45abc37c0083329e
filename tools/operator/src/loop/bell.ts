import type { Clock } from '#ports';

/** Wakes a loop that sleeps; a ring while nobody sleeps is kept. */
export interface Bell {
  ring(): void;
  /** Resolves after the milliseconds, after a ring, or when `signal` aborts. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
}

export function newBell(clock: Clock): Bell {
  let rung = false;
  let wake = new AbortController();
  return {
    ring: () => {
      rung = true;
      wake.abort();
    },
    wait: async (milliseconds, signal) => {
      if (!rung) {
        wake = new AbortController();
        await clock.sleep(milliseconds, AbortSignal.any([wake.signal, signal]));
      }
      rung = false;
    },
  };
}

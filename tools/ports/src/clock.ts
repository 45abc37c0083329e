import { setTimeout as delay } from 'node:timers/promises';

/** Time as a run sees it; a test passes a virtual one. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after the given milliseconds, or as soon as `signal` aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    if (signal?.aborted === true) return;
    await delay(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(
      () => undefined,
    );
  },
};

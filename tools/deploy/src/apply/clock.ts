import { setTimeout as pause } from 'node:timers/promises';

/** Time as the engine sees it; milliseconds since 1970. */
export interface Clock {
  now(): number;
  /** Resolves after so many milliseconds, or as soon as `signal` aborts. */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The clock of the machine. */
export const machineClock: Clock = {
  now: () => Date.now(),
  sleep: async (milliseconds, signal) => {
    if (signal?.aborted !== true) await pause(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};

/** RFC 3339 in UTC with milliseconds. */
export function timeText(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

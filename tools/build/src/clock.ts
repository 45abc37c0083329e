import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from './types.ts';

/** The machine's own time. */
export const systemClock: Clock = { now: () => Date.now(), sleep };

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
}

import { omitUndefined } from '#core';
import type { Clock } from '#ports';
import type { Emit } from './events.ts';
import type { MarkedProcess, LockOptions } from './lock.ts';

/** Options of every run that takes the site's lock. */
export interface RunOptions {
  /** The user who runs it: `user@host`. */
  readonly by: string;
  /** Different for every run. */
  readonly run: string;
  /** The process that holds the lock; without it, the lock of a killed run is waited for. */
  readonly process?: MarkedProcess;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly signal?: AbortSignal;
}

/** The lock options of a run. */
export function lockOptions({ by, run, process, clock, emit }: RunOptions): LockOptions {
  return { holder: `${by} (${run})`, ...omitUndefined({ process }), clock, emit };
}

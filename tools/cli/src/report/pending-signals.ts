import { setImmediate } from 'node:timers/promises';

/**
 * Resolves after the listeners of signals that arrived during synchronous work, or ends the process
 * by them. One turn of the event loop may be past its reading of signals, so these are two.
 */
export async function handlePendingSignals(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

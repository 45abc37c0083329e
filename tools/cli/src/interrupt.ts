import { EXIT } from './exit-codes.ts';

/** What is said where a command ends only after some time. */
export const CANCELLING = 'cancelling; again to end at once';

/**
 * A signal that Ctrl-C, SIGTERM and a closed terminal (SIGHUP) abort; a second Ctrl-C or SIGTERM ends the process at once. Call
 * `done` when the work is over.
 */
export function interruptSignal(say: (text: string) => void): { readonly signal: AbortSignal; readonly done: () => void } {
  const controller = new AbortController();
  const hangUp = (): void => {
    if (controller.signal.aborted) return;
    say(CANCELLING);
    controller.abort();
  };
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.cancelled);
    hangUp();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', hangUp);
  return {
    signal: controller.signal,
    done: () => void process.off('SIGINT', stop).off('SIGTERM', stop).off('SIGHUP', hangUp),
  };
}

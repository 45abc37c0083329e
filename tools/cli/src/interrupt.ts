import { EXIT } from './exit-codes.ts';

/** A signal that Ctrl-C and SIGTERM abort; the second one ends the process at once. Call `done` when the work is over. */
export function interruptSignal(say: (text: string) => void): { readonly signal: AbortSignal; readonly done: () => void } {
  const controller = new AbortController();
  const stop = (): void => {
    if (controller.signal.aborted) process.exit(EXIT.cancelled);
    say('cancelling; again to end at once');
    controller.abort();
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  return {
    signal: controller.signal,
    done: () => void process.off('SIGINT', stop).off('SIGTERM', stop),
  };
}

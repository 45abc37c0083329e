import { CcpError } from '#core';
import { EXIT } from '../report/exit-codes.ts';

/** Notice that a command is being cancelled, which can take some time. */
export const CANCELLING = 'cancelling; interrupt again to stop immediately';

/**
 * A signal that Ctrl-C, SIGTERM and a closed terminal (SIGHUP) abort; a second Ctrl-C or SIGTERM
 * exits immediately. Call `done` after the work.
 */
export function interruptSignal(say: (text: string) => void): {
  readonly signal: AbortSignal;
  readonly done: () => void;
} {
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

/**
 * Resolves with the work, or throws `cancelled` as soon as the signal aborts: for work that does
 * not stop by itself and whose traces the end of the process removes.
 */
export function orCancelled<T>(
  signal: AbortSignal,
  message: string,
  work: () => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(new CcpError({ code: 'cancelled', message })), {
      once: true,
    });
    work().then(resolve, reject);
  });
}

import { constants } from 'node:os';
import type Docker from 'dockerode';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
type Signal = (typeof SIGNALS)[number];

/** What a container may take to end by itself after a signal, and after the SIGTERM that follows. */
const GRACE_S = 2;
/** What Ctrl-C is for a terminal, and what the terminal shows of it. */
const CTRL_C = '\u0003';
const ECHO = '^C';

/** How an attached container is ended from outside. */
export interface EndOnSignal {
  /** Hears of keys on their way to the container's terminal, and of what comes back. */
  keys(bytes: Uint8Array): void;
  answer(bytes: Uint8Array): void;
  /** 128 and the signal's number, where the container did not end by itself after it; undefined where it did. */
  exitCode(): number | undefined;
  /** The container runs: a signal that came before could not reach it, so it is stopped. */
  started(): void;
  /** Leaves signals alone again. */
  done(): void;
}

/**
 * Ends a container when this process gets a signal. It is passed on; since the first process of a container ignores what it has no
 * handler for, one that goes on is stopped after a grace (SIGTERM, then SIGKILL), and `onSlow` is called. A second signal kills. In
 * a terminal Ctrl-C is a key; the second one in a row stops the container where nothing but its echo came back in between, so
 * that a shell, which shows its prompt again, lives on.
 */
export function endOnSignal(container: Pick<Docker.Container, 'kill' | 'stop'>, onSlow: () => void, graceS = GRACE_S): EndOnSignal {
  let first: Signal | undefined;
  let forced = false;
  let unanswered = false;
  let timer: NodeJS.Timeout | undefined;

  const stop = (): void => {
    forced = true;
    onSlow();
    container.stop({ t: graceS }).catch(() => undefined);
  };
  const kill = (): void => {
    forced = true;
    clearTimeout(timer);
    container.kill({ signal: 'SIGKILL' }).catch(() => undefined);
  };
  const onSignal = (signal: Signal): void => {
    if (first !== undefined) {
      // A terminal that closes may send it twice: to the group in front, and by the shell.
      if (signal !== 'SIGHUP') kill();
      return;
    }
    first = signal;
    container.kill({ signal }).catch(() => undefined);
    timer = setTimeout(stop, graceS * 1000);
  };

  for (const signal of SIGNALS) process.on(signal, onSignal);
  return {
    keys: (bytes) => {
      const again = unanswered;
      unanswered = Buffer.from(bytes).toString('latin1') === CTRL_C;
      if (!unanswered || !again) return;
      if (first !== undefined) return kill();
      first = 'SIGINT';
      stop();
    },
    answer: (bytes) => {
      if (Buffer.from(bytes).toString('latin1').replaceAll(ECHO, '') !== '') unanswered = false;
    },
    exitCode: () => (forced && first !== undefined ? 128 + constants.signals[first] : undefined),
    started: () => {
      if (first === undefined) return;
      clearTimeout(timer);
      stop();
    },
    done: () => {
      clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}

import { constants } from 'node:os';
import type Docker from 'dockerode';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
type Signal = (typeof SIGNALS)[number];

/**
 * Seconds that a container has to stop after a signal, and again after the SIGTERM that follows.
 */
const GRACE_S = 2;
/** Byte that a terminal sends for Ctrl-C, and the echo it displays. */
const CTRL_C = '\u0003';
const ECHO = '^C';

/** Stops an attached container on signals and Ctrl-C. */
export interface EndOnSignal {
  /** Observes input to the container's terminal, and its output. */
  keys(bytes: Uint8Array): void;
  output(bytes: Uint8Array): void;
  /** 128 plus the signal's number if the container had to be stopped; otherwise undefined. */
  exitCode(): number | undefined;
  /** Reports that the container runs. An earlier signal could not reach it, so it is stopped. */
  started(): void;
  /** Removes the signal handlers. */
  done(): void;
}

/**
 * Forwards signals from this process to a container. The first process of a container ignores
 * signals that it does not handle. A container that keeps running is therefore stopped after a
 * grace period (SIGTERM, then SIGKILL), and `onSlow` is called. A second signal kills the
 * container. In a terminal Ctrl-C is a key: the second one in a row stops the container if only its
 * echo was printed in between. A shell prints its prompt again and so keeps running.
 */
export function endOnSignal(
  container: Pick<Docker.Container, 'kill' | 'stop'>,
  onSlow: () => void,
  graceS = GRACE_S,
): EndOnSignal {
  let first: Signal | undefined;
  let forced = false;
  let awaitsOutput = false;
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
      // A closing terminal may send it twice: to the foreground process group, and from the shell.
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
      const again = awaitsOutput;
      awaitsOutput = Buffer.from(bytes).toString('latin1') === CTRL_C;
      if (!awaitsOutput || !again) return;
      if (first !== undefined) return kill();
      first = 'SIGINT';
      stop();
    },
    output: (bytes) => {
      if (Buffer.from(bytes).toString('latin1').replaceAll(ECHO, '') !== '') awaitsOutput = false;
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

import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

/** Search path for programs. */
export const PROGRAM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A program that runs until it is killed or the process that started it exits. */
export interface RunningProgram {
  readonly name: string;
  readonly pid: number;
  readonly log: string;
  /** Why it exited; undefined while it runs. */
  exitReason(): string | undefined;
  /** Resolves with the exit reason. */
  readonly exited: Promise<string>;
  /** Kills it and waits for its exit. */
  kill(): Promise<void>;
}

/**
 * Starts a program with its output in a file. With `setpriv`, the kernel kills it when this process
 * exits for any reason.
 */
export function startProgram(
  name: string,
  path: string,
  args: readonly string[],
  log: string,
): RunningProgram {
  const output = openSync(log, 'a', 0o600);
  const child: ChildProcess = spawn('setpriv', ['--pdeathsig', 'KILL', '--', path, ...args], {
    stdio: ['ignore', output, output],
    env: { PATH: PROGRAM_PATH, HOME: '/nonexistent' },
  });
  closeSync(output);
  let reason: string | undefined;
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve((reason = error.message)));
    child.once('exit', (code, signal) =>
      resolve(
        (reason =
          signal === null ? `it exited with code ${code}` : `it was terminated by ${signal}`),
      ),
    );
  });
  return {
    name,
    pid: child.pid ?? 0,
    log,
    exitReason: () => reason,
    exited,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The last lines of a program's log. */
export function lastLogLines({ log }: RunningProgram, lines = 10): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}

import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

/** Where programs of the machine are looked for. */
export const PROGRAM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** A program that runs until it is killed, at the latest with the process that started it. */
export interface RunningProgram {
  readonly name: string;
  readonly pid: number;
  readonly log: string;
  /** How it ended, where it has. */
  ended(): string | undefined;
  /** Resolves with how it ended. */
  readonly end: Promise<string>;
  /** Kills it and waits until it is gone; what it leaves behind is thrown away with its folder. */
  kill(): Promise<void>;
}

/** Starts a program with its output in a file. `setpriv` has the kernel kill it when this process ends, however that happens. */
export function startProgram(name: string, path: string, args: readonly string[], log: string): RunningProgram {
  const output = openSync(log, 'a', 0o600);
  const child: ChildProcess = spawn('setpriv', ['--pdeathsig', 'KILL', '--', path, ...args], {
    stdio: ['ignore', output, output],
    env: { PATH: PROGRAM_PATH, HOME: '/nonexistent' },
  });
  closeSync(output);
  let end: string | undefined;
  const ending = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve((end = error.message)));
    child.once('exit', (code, signal) => resolve((end = `it ended with ${signal ?? `exit code ${code}`}`)));
  });
  return {
    name,
    pid: child.pid ?? 0,
    log,
    ended: () => end,
    end: ending,
    kill: async () => {
      child.kill('SIGKILL');
      await ending;
    },
  };
}

/** The last lines that a program wrote. */
export function endOfLog({ log }: RunningProgram, lines = 10): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}

import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

const STOP_MS = 5_000;

/** A program that runs until it is stopped; it is killed with the process that started it. */
export interface RunningProgram {
  readonly name: string;
  readonly pid: number;
  readonly log: string;
  /** How it ended, where it has. */
  ended(): string | undefined;
  /** Ends it and waits until it is gone. */
  stop(): Promise<void>;
}

/** Starts a program with its output in a file. `setpriv` has the kernel kill it when this process ends, however that happens. */
export function startProgram(name: string, path: string, args: readonly string[], log: string): RunningProgram {
  const output = openSync(log, 'w');
  const child: ChildProcess = spawn('setpriv', ['--pdeathsig', 'KILL', '--', path, ...args], { stdio: ['ignore', output, output], env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/nonexistent' } });
  closeSync(output);
  let end: string | undefined;
  const exited = new Promise<void>((resolve) => {
    child.once('error', (error) => { end = error.message; resolve(); });
    child.once('exit', (code, signal) => { end = `it ended with ${signal ?? `exit code ${code}`}`; resolve(); });
  });
  return {
    name,
    pid: child.pid ?? 0,
    log,
    ended: () => end,
    stop: async () => {
      if (end !== undefined) return;
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** The last lines that a program wrote. */
export function endOfLog({ log }: RunningProgram, lines = 10): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}

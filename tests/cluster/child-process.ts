import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';

/** A program that runs until it is killed, at the latest with the process that started it. */
export interface RunningProgram {
  readonly name: string;
  readonly pid: number;
  readonly log: string;
  /** How it ended, where it has. */
  ended(): string | undefined;
  /** Kills it and waits until it is gone; what it leaves behind is thrown away with its folder. */
  kill(): Promise<void>;
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
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** The last lines that a program wrote. */
export function endOfLog({ log }: RunningProgram, lines = 10): string {
  return readFileSync(log, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}

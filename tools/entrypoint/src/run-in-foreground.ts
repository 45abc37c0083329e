import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CcpError, codeOf, messageOf } from '#core';

const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/**
 * Runs a command with this process's standard streams and forwards signals to it. Resolves with its
 * exit code, or with 128 plus the signal number. Throws `command-not-started`.
 */
export function runInForeground([program = '', ...words]: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: 'inherit' });
    const handlers = FORWARDED.map((name) => [name, () => void child.kill(name)] as const);
    for (const [name, handler] of handlers) process.on(name, handler);
    const finish = (done: () => void): void => {
      for (const [name, handler] of handlers) process.off(name, handler);
      done();
    };
    child.on('error', (cause) => finish(() => reject(notStarted(program, cause))));
    child.on('exit', (code, signal) =>
      finish(() => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))),
    );
  });
}

function notStarted(program: string, cause: unknown): CcpError {
  const missing = codeOf(cause) === 'ENOENT';
  const message = missing
    ? `program not found: ${program}`
    : `${program} cannot be started: ${messageOf(cause)}`;
  return new CcpError({
    code: 'command-not-started',
    message,
    hint: 'name a program of this image after --',
    cause,
  });
}

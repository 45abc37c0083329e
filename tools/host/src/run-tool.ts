import { execFile } from 'node:child_process';
import { CcpError, codeOf, omitUndefined } from '#core';

/** The result of a program that has ended; an exit code other than 0 is not an error here. */
export interface ToolResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ToolOptions {
  /** Working directory; that of this process if absent. */
  readonly folder?: string | undefined;
  /** The whole environment of the program. */
  readonly env: NodeJS.ProcessEnv;
  /** Text for its standard input. */
  readonly input?: string | undefined;
  readonly timeoutMs?: number;
  /** Hint of the error for a program that is not installed. */
  readonly missingHint?: string;
  readonly signal?: AbortSignal | undefined;
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Runs a program without a shell. Throws `tool-missing` if it is not installed, `timeout`,
 * `cancelled`, and errors of the system.
 */
export function runTool(
  program: string,
  args: readonly string[],
  options: ToolOptions,
): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      {
        env: options.env,
        ...omitUndefined({ cwd: options.folder, timeout: options.timeoutMs }),
        killSignal: 'SIGKILL',
        maxBuffer: MAX_OUTPUT_BYTES,
        encoding: 'utf8',
        ...omitUndefined({ signal: options.signal }),
      },
      (error, stdout, stderr) => {
        if (error === null) return resolve({ exitCode: 0, stdout, stderr });
        if (options.signal?.aborted)
          return reject(
            new CcpError({ code: 'cancelled', message: `${program} was stopped`, cause: error }),
          );
        if (codeOf(error) === 'ENOENT') {
          return reject(
            new CcpError({
              code: 'tool-missing',
              message: `${program} is not installed`,
              ...omitUndefined({ hint: options.missingHint }),
              cause: error,
            }),
          );
        }
        if (error.killed && options.timeoutMs !== undefined) {
          const message = `${program} took longer than ${(options.timeoutMs ?? 0) / 1000} s`;
          return reject(new CcpError({ code: 'timeout', message, cause: error }));
        }
        if (typeof error.code !== 'number') return reject(error as Error);
        return resolve({ exitCode: error.code, stdout, stderr });
      },
    );
    // A program that ends without reading its input is not an error.
    child.stdin?.on('error', () => undefined).end(options.input);
  });
}

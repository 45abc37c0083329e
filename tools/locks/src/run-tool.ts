import { execFile } from 'node:child_process';
import { CcpError, codeOf, proxiesOf } from '#core';

/** How a program that ran to its end left; an exit code other than 0 is no error here. */
export interface ToolResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ToolOptions {
  readonly cwd?: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** What to do where the program is not there. */
  readonly missingHint?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Variables of this process that a tool needs, beside the proxies; nothing else is handed on. */
const PASSED_ON = /^(?:PATH|HOME|TMPDIR|SSL_CERT_FILE|SSL_CERT_DIR)$/i;

/** The environment every tool gets: how to reach the network, a fixed locale and time zone, and no ambient configuration. Raises what `proxiesOf` raises. */
export function toolEnvironment(extra: Readonly<Record<string, string>>): Record<string, string> {
  const passed = Object.entries(process.env).filter(([name, value]) => PASSED_ON.test(name) && value !== undefined);
  return { ...(Object.fromEntries(passed) as Record<string, string>), ...proxiesOf(process.env), LC_ALL: 'C.UTF-8', TZ: 'UTC', ...extra };
}

/**
 * Runs a tool to its end, without a shell and without stdin. A non-zero exit is a value. Raises `tool-missing` where the program
 * is not there, `timeout` and `cancelled`.
 */
export function runTool(program: string, args: readonly string[], options: ToolOptions): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program,
      args,
      {
        env: options.env,
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
        timeout: options.timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: 64 * 1024 * 1024,
        encoding: 'utf8',
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      },
      (error, stdout, stderr) => {
        if (error === null) return resolve({ exitCode: 0, stdout, stderr });
        if (options.signal?.aborted) return reject(new CcpError({ code: 'cancelled', message: `${program} was stopped`, cause: error }));
        if (codeOf(error) === 'ENOENT') {
          return reject(
            new CcpError({
              code: 'tool-missing',
              message: `${program} is not installed`,
              ...(options.missingHint === undefined ? {} : { hint: options.missingHint }),
              cause: error,
            }),
          );
        }
        if (error.killed) {
          const message = `${program} took longer than ${options.timeoutMs / 1000} s`;
          return reject(new CcpError({ code: 'timeout', message, cause: error }));
        }
        if (typeof error.code !== 'number') return reject(error);
        return resolve({ exitCode: error.code, stdout, stderr });
      },
    );
    child.stdin?.end();
  });
}

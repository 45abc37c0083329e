import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `ccp` on a workspace as a user would, without a terminal. */
export async function ccp(
  workspace: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const child = spawn(`${REPOSITORY}/ccp`, ['-C', workspace, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const exitCode = await new Promise<number>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? (signal === 'SIGINT' ? 130 : 1)));
  });
  return { exitCode, stdout, stderr };
}

/**
 * Runs `ccp --json` with `run` and returns its result; throws an error with all output if it fails.
 */
export async function ccpJson<T>(
  workspace: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  run = ccp,
): Promise<T> {
  const { exitCode, stdout, stderr } = await run(workspace, ['--json', ...args], env);
  if (exitCode !== 0)
    throw new Error(`ccp ${args.join(' ')} ended with ${exitCode}\n${stderr}\n${stdout}`);
  return JSON.parse(stdout) as T;
}

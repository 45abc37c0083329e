import { spawn } from 'node:child_process';
import { CcpError } from '#core';

/** Where a program runs (default: here), what it has in its environment besides ours, and what it reads. */
export interface RunOptions {
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs a program to its end and gives its standard output; raises `machine-command` with the end of what it printed where it fails. */
export async function runCommand(program: string, args: readonly string[], { folder, env = {}, input }: RunOptions = {}): Promise<string> {
  const child = spawn(program, args, { ...(folder === undefined ? {} : { cwd: folder }), env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined).end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) => reject(failed(program, args, cause.message, cause)));
    child.once('close', resolve);
  });
  if (code === 0) return stdout;
  throw failed(program, args, `ended with ${code}\n${`${stdout}\n${stderr}`.trim().split('\n').slice(-15).join('\n')}`);
}

function failed(program: string, args: readonly string[], how: string, cause?: unknown): CcpError {
  return new CcpError({ code: 'machine-command', message: `${program} ${args.join(' ')}: ${how}`, cause });
}

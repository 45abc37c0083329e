import { spawn } from 'node:child_process';

export interface RunOptions {
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs a program to its end and gives its standard output; raises with the end of what it printed where it fails. */
export async function runCommand(program: string, args: readonly string[], { folder, env = {}, input }: RunOptions = {}): Promise<string> {
  const child = spawn(program, args, { ...(folder === undefined ? {} : { cwd: folder }), env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined).end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')} ended with ${code}\n${`${stdout}\n${stderr}`.trim().split('\n').slice(-15).join('\n')}`);
}

import { spawn } from 'node:child_process';
import { REPOSITORY } from '../ccp.ts';

/**
 * Runs a command in a workspace and kills it with SIGKILL as soon as it prints `text`; resolves
 * with the signal that ended it.
 */
export async function killedAt(
  text: string,
  root: string,
  args: readonly string[],
): Promise<NodeJS.Signals | null> {
  const child = spawn(`${REPOSITORY}/ccp`, ['-C', root, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    output += more;
    if (output.includes(text)) child.kill('SIGKILL');
  });
  return await new Promise((resolve) => child.on('close', (_, signal) => resolve(signal)));
}

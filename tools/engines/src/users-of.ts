import { readFileSync } from 'node:fs';
import { hold } from './with-name.ts';

/** Tells others that this process uses what has this name, until it ends. */
export async function signUse(name: string): Promise<void> {
  // Where the name is taken, this process has signed before.
  await hold(signOf(name, process.pid));
}

/** Process ids of the others of this machine that use what has this name. */
export function usersOf(name: string): number[] {
  const start = `@${signOf(name, '')}`;
  const names = readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .map((line) => line.slice(line.lastIndexOf(' ') + 1));
  const users = names.filter((each) => each.startsWith(start)).map((each) => Number(each.slice(start.length)));
  return users.filter((pid) => pid !== process.pid);
}

function signOf(name: string, pid: number | ''): string {
  return `${name}-used-by-${pid}`;
}

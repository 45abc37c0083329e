import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const END_MS = 5000;
const POLL_MS = 20;

/**
 * Process ids in the control group `name` and its children. `name` is a folder directly below the
 * root of a hierarchy, of cgroup version 1 or 2.
 */
export function processesIn(name: string): readonly number[] {
  const below = new RegExp(`^\\d+:[^:]*:/(?:.*/)?${name}(?:/|$)`, 'm');
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && below.test(cgroupsOf(entry)))
    .map(Number);
}

/**
 * Kills every process in the control group and its children, and waits up to 5 s for their exit.
 */
export async function endProcessesIn(name: string): Promise<void> {
  for (const until = Date.now() + END_MS; Date.now() < until; await delay(POLL_MS)) {
    const left = processesIn(name);
    if (left.length === 0) return;
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code !== 'ESRCH') throw thrown;
      }
    }
  }
}

/** Empty if the process has exited meanwhile. */
function cgroupsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  } catch {
    return '';
  }
}

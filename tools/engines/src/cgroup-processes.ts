import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const END_MS = 5000;
const POLL_MS = 20;

/** Numbers of the processes below the control group `name` (a folder of the hierarchy's root), of either version. */
export function processesIn(name: string): readonly number[] {
  const below = new RegExp(`^\\d+:[^:]*:/(?:.*/)?${name}(?:/|$)`, 'm');
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && below.test(cgroupsOf(entry)))
    .map(Number);
}

/** Ends every process below the control group and waits until they are gone, 5 s at most. */
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

/** Empty for a process that has ended meanwhile. */
function cgroupsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cgroup`, 'utf8');
  } catch {
    return '';
  }
}

import { readFileSync } from 'node:fs';

/** What the kernel tells of a process (proc_pid_stat(5)). */
export interface ProcessStat {
  /** A letter, `Z` of one that has ended and whose parent has not asked for it yet. */
  readonly state: string;
  /** When it started, in clock ticks since boot: with its number, it names one process of a boot for good. */
  readonly start: string;
}

/** What the kernel tells of a process; undefined where /proc does not tell. */
export function processStat(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name before them, in parentheses, may hold anything.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0]!, start: fields[19]! };
  } catch {
    return undefined;
  }
}

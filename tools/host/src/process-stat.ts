import { readFileSync } from 'node:fs';

/** Status of a process in proc_pid_stat(5). */
export interface ProcessStat {
  /** A letter; `Z` for a process that has ended and whose parent has not waited for it yet. */
  readonly state: string;
  /** Number of the parent process; 0 for the first process. */
  readonly parent: number;
  /**
   * Start in clock ticks since boot. Together with the number it identifies a process of a boot.
   */
  readonly start: string;
}

/** The status of a process; undefined if /proc does not show it. */
export function processStat(pid: number): ProcessStat | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses before these fields can contain any character.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0]!, parent: Number(fields[1]), start: fields[19]! };
  } catch {
    return undefined;
  }
}

import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Label of every container we make; its value tells whose it is. */
export const RUN_LABEL = 'ccp.run';

/** The kernel's clock ticks at which a process started: with its number, it names one process for good. */
function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** `HOST/PID/START` of this process. */
export function runLabel(): string {
  return `${hostname()}/${process.pid}/${startTimeOf(process.pid) ?? ''}`;
}

/** True where the label is of a process of this machine that has ended: what bears it is left over. */
export function isLeftOver(label: string): boolean {
  const [host, pid, start] = label.split('/');
  return host === hostname() && startTimeOf(Number(pid)) !== start;
}

import { hostname } from 'node:os';
import { processStat } from '#host';

/** Label of every container we make; its value tells whose it is. */
export const RUN_LABEL = 'ccp.run';

/** `HOST/PID/START` of this process. */
export function runLabel(): string {
  return `${hostname()}/${process.pid}/${processStat(process.pid)?.start ?? ''}`;
}

/** True where the label is of a process of this machine that has ended: what bears it is left over. */
export function isLeftOver(label: string): boolean {
  const [host, pid, start] = label.split('/');
  return host === hostname() && processStat(Number(pid))?.start !== start;
}

import { hostname } from 'node:os';
import { processStat } from '#host';

/** Label of every container that ccp creates; its value identifies the ccp process. */
export const RUN_LABEL = 'ccp.run';

/** `HOST/PID/START` of this process. */
export function runLabel(): string {
  return `${hostname()}/${process.pid}/${processStat(process.pid)?.start ?? ''}`;
}

/** Whether the label's process ran on this machine and has exited. */
export function hasRunEnded(label: string): boolean {
  const [host, pid, start] = label.split('/');
  return host === hostname() && processStat(Number(pid))?.start !== start;
}

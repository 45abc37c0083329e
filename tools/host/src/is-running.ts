import { codeOf } from '#core';

/** Whether a process of this machine has this number, whoever's it is; it may be another than the one that had it before. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return codeOf(thrown) !== 'ESRCH';
  }
}

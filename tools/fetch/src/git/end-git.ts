import { readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { processStat } from '#host';

/**
 * Runs git commands in `mirror`, and ends all their processes if `signal` aborts. simple-git ends
 * git itself only: git's program for HTTP then goes on until its server answers or is silent for a
 * minute, and keeps the output open (checked on git 2.39 and simple-git 4.0).
 */
export async function endingGit<T>(
  mirror: string,
  signal: AbortSignal,
  run: () => Promise<T>,
): Promise<T> {
  const end = (): void => endProcesses(mirror);
  signal.addEventListener('abort', end);
  try {
    return await run();
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Ends the processes that this one started in the folder, and their own. */
function endProcesses(folder: string): void {
  try {
    const real = realpathSync(folder);
    const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
    const parents = new Map(pids.map((pid) => [pid, processStat(pid)?.parent]));
    const isOurs = (pid: number | undefined): boolean =>
      pid !== undefined && (pid === process.pid || isOurs(parents.get(pid)));
    for (const pid of pids)
      if (pid !== process.pid && isOurs(pid) && isIn(pid, real)) endProcess(pid);
  } catch {
    // Without /proc, git's own handling has to do.
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch {
    // It ended meanwhile: its parent got the signal before it.
  }
}

function isIn(pid: number, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === folder;
  } catch {
    return false;
  }
}

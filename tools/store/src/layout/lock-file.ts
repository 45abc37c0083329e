import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { CcpError, codeOf } from '#core';
import { isRunning, processStat } from '#host';

/**
 * Takes the lock at `path` for this process; the result gives it back. A lock whose process is gone is taken over. Raises
 * `store-busy` naming the process that holds it.
 */
export function holdLock(path: string): () => void {
  const mine = `${process.pid} ${bootAndStartOf(process.pid) ?? ''}\n`;
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, mine);
    while (!tryLink(draft, path)) {
      const held = readText(path);
      if (held === undefined) continue;
      const pid = Number.parseInt(held, 10);
      if (isAlive(held)) {
        throw new CcpError({
          code: 'store-busy',
          message: `the image store is in use by process ${pid} (${path})`,
          hint: 'wait until the other run in this workspace has ended, or end it',
        });
      }
      evict(path, held);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return () => {
    if (readText(path) === mine) rmSync(path, { force: true });
  };
}

/** Moves a stale lock aside, and back where another process took it over in between. */
function evict(path: string, stale: string): void {
  const aside = `${path}.${process.pid}.stale`;
  try {
    renameSync(path, aside);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return;
    throw thrown;
  }
  if (readText(aside) !== stale) tryLink(aside, path);
  rmSync(aside, { force: true });
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** True where the process that wrote `held` still runs: same number, and started at the same time where that is known. */
function isAlive(held: string): boolean {
  const [pid = '', started = ''] = held.trim().split(' ');
  if (!/^[1-9]\d*$/.test(pid)) return false;
  return isRunning(Number(pid)) && (started === '' || bootAndStartOf(Number(pid)) === started);
}

/** Start of a process in the kernel's clock ticks, with the boot it belongs to; undefined where /proc does not tell, and of one that has ended. */
function bootAndStartOf(pid: number): string | undefined {
  const stat = processStat(pid);
  if (stat === undefined || stat.state === 'Z') return undefined;
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${stat.start}`;
  } catch {
    return undefined;
  }
}

import { readFileSync, readlinkSync } from 'node:fs';
import { isRunning } from './is-running.ts';
import { processStat } from './process-stat.ts';

/**
 * What tells a process of this machine from every other one, also from a later one of its number: boot and pid namespace, number, start.
 * Undefined where /proc does not tell.
 */
export function processMark(pid: number = process.pid): string | undefined {
  const [place, start] = [placeOf(), processStat(pid)?.start];
  return place === undefined || start === undefined ? undefined : `${place}/${pid}/${start}`;
}

/** Whether a mark is of a process that ran here, in this boot and pid namespace, and runs no more. Of one from elsewhere nothing is known. */
export function hasEnded(mark: string): boolean {
  const [, place, pid, start] = /^(.+)\/(\d+)\/(\d+)$/.exec(mark) ?? [];
  if (place === undefined || place !== placeOf()) return false;
  if (!isRunning(Number(pid))) return true;
  // Where another user's process may not be looked at, it counts as the one that it was.
  const now = processStat(Number(pid))?.start;
  return now !== undefined && now !== start;
}

function placeOf(): string | undefined {
  try {
    const [boot, namespace] = [readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(), readlinkSync('/proc/self/ns/pid')];
    return `${boot}/${namespace.replace(/\D/g, '')}`;
  } catch {
    return undefined;
  }
}

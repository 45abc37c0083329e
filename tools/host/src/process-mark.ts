import { readFileSync, readlinkSync } from 'node:fs';
import { isRunning } from './is-running.ts';
import { processStat } from './process-stat.ts';

/**
 * Identifies a process of this machine for all time: boot, pid namespace, process number and start
 * time. Undefined if /proc does not show it.
 */
export function processMark(pid: number = process.pid): string | undefined {
  const [place, start] = [placeOf(), processStat(pid)?.start];
  return place === undefined || start === undefined ? undefined : `${place}/${pid}/${start}`;
}

/**
 * True if a mark is of a process that ran in this boot and pid namespace and has ended; false for
 * all other marks.
 */
export function hasEnded(mark: string): boolean {
  const [, place, pid, start] = /^(.+)\/(\d+)\/(\d+)$/.exec(mark) ?? [];
  if (place === undefined || place !== placeOf()) return false;
  if (!isRunning(Number(pid))) return true;
  // A process that this user cannot inspect counts as running.
  const now = processStat(Number(pid));
  return now !== undefined && (now.start !== start || now.state === 'Z');
}

function placeOf(): string | undefined {
  try {
    const [boot, namespace] = [
      readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      readlinkSync('/proc/self/ns/pid'),
    ];
    return `${boot}/${namespace.replace(/\D/g, '')}`;
  } catch {
    return undefined;
  }
}

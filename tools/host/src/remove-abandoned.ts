import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from './is-running.ts';

/**
 * Files written more recently than this are kept: their process may belong to another machine or
 * namespace.
 */
const RECENT_MS = 60_000;

/**
 * Names with the process id of their writer: drafts of `replaceFile` and temporary files of the
 * cache.
 */
const DRAFT = /^(?:.*\.)?([1-9]\d{0,9})\.[0-9a-f]{8,16}(?:\.partial)?$/;

/**
 * Removes the drafts of killed processes in a folder and, if `deep`, in the folders below it. Files
 * that this user cannot remove stay. Returns the number of removed files.
 */
export function removeAbandoned(folder: string, { deep = false } = {}): number {
  let removed = 0;
  for (const path of filesIn(folder, deep)) {
    const pid = Number(DRAFT.exec(path.slice(path.lastIndexOf('/') + 1))?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isRunning(pid)) continue;
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || Date.now() - stat.mtimeMs < RECENT_MS) continue;
    try {
      rmSync(path, { force: true });
      removed += 1;
    } catch {
      // A file of another user.
    }
  }
  return removed;
}

function filesIn(folder: string, deep: boolean): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return deep ? filesIn(path, true) : [];
      return [path];
    });
  } catch {
    return [];
  }
}

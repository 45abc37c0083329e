import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isRunning } from '#host';

/** Age after which a folder is considered abandoned, even if a process with that id runs. */
const LONGEST_BUILD_MS = 7_200_000;

/** Temporary name under which this process builds `folder`. */
export function partialFolder(folder: string): string {
  return `${folder}.${process.pid}`;
}

/** The id of another process that is building `folder`; `undefined` without one. */
export async function findOtherBuilder(folder: string): Promise<number | undefined> {
  const prefix = `${basename(folder)}.`;
  for (const name of await readdir(dirname(folder)).catch(() => [])) {
    const pid = Number(name.startsWith(prefix) ? name.slice(prefix.length) : Number.NaN);
    if (!Number.isInteger(pid) || pid === process.pid || !isRunning(pid)) continue;
    const touched = await stat(join(dirname(folder), name)).then(
      ({ mtimeMs }) => mtimeMs,
      () => 0,
    );
    if (Date.now() - touched < LONGEST_BUILD_MS) return pid;
  }
  return undefined;
}

import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isRunning } from '#host';

/** A folder that nobody touched for so long was left by a process that has gone, whoever has its number now. */
const LONGEST_BUILD_MS = 7_200_000;

/** Where this process makes `folder` before it gets its name. */
export function partialOf(folder: string): string {
  return `${folder}.${process.pid}`;
}

/** The number of another process that makes `folder` at the moment; `undefined` where none does. */
export async function otherBuilder(folder: string): Promise<number | undefined> {
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

import { readFileSync, statSync } from 'node:fs';

/** Pipes that a shell has opened for this process: `<(...)`. */
const OPENED = /^\/(dev\/fd|proc\/(self|\d+)\/fd)\//;

/** The text of a file. Raises what the system says, and an error for what would be waited for without an end: a pipe that lies in a folder, a device. */
export function readPlainFile(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile() && !found.isDirectory() && !OPENED.test(path))
    throw new Error(`${path} is a ${found.isFIFO() ? 'pipe' : 'device or socket'}, no file`);
  return readFileSync(path, 'utf8');
}

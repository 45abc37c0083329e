import { readFileSync, statSync } from 'node:fs';

const MAX_BYTES = 16 << 20;

/** Pipes that a shell opened for this process: `<(...)`. */
const OPENED = /^\/(dev\/fd|proc\/(self|\d+)\/fd)\//;

/**
 * The text of a file. Throws system errors, and refuses named pipes and devices: reads could block.
 */
export function readPlainFile(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found !== undefined && !found.isFile() && !found.isDirectory() && !OPENED.test(path))
    throw new Error(
      `${path} is a ${found.isFIFO() ? 'pipe' : 'device or socket'}, not a regular file`,
    );
  if (found !== undefined && found.size > MAX_BYTES)
    throw new Error(`${path} is larger than ${MAX_BYTES >> 20} MiB`);
  return readFileSync(path, 'utf8');
}

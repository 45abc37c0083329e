import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { fetchOnce, runShown, type PythonRelease } from './fetch-once.ts';

/** A program in a wheel for Linux on x86-64. */
export interface PythonTool extends PythonRelease {
  readonly program: string;
}

/**
 * Path of a development tool, which pip fetches by its hash into the user's cache on first use.
 * Throws an error with the output of pip if that fails.
 */
export function pythonTool(tool: PythonTool): string {
  const { project, version, program } = tool;
  const path = `${project.replaceAll('-', '_')}-${version}.data/scripts/${program}`;
  const folder = fetchOnce(tool, 'wheel', (wheel, temporary) => {
    const unpacked = join(temporary, 'tool');
    runShown('python3', '-m', 'zipfile', '-e', wheel, unpacked);
    chmodSync(join(unpacked, path), 0o755);
    return unpacked;
  });
  return join(folder, path);
}

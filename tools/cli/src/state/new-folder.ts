import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CcpError, fileFault } from '#core';

/**
 * Throws `usage` with this hint if a folder has files, and the errors of `fileFault` if it is not a
 * folder; a new folder is accepted.
 */
export function requireEmpty(folder: string, hint: string): void {
  try {
    if (!existsSync(folder) || readdirSync(folder).length === 0) return;
  } catch (thrown) {
    throw fileFault(thrown, 'use', folder);
  }
  throw new CcpError({ code: 'usage', message: `${folder} is not empty`, hint });
}

/**
 * Writes files to a new or empty folder, all or none. Throws the errors of `requireEmpty` and
 * `fileFault`.
 */
export function writeNewFolder(
  folder: string,
  files: readonly { readonly path: string; readonly text: string | Uint8Array }[],
): void {
  const target = resolve(folder);
  requireEmpty(folder, 'use a new folder: files of an earlier export would remain in it');
  const partial = `${target}.partial-${process.pid}`;
  try {
    // A killed run with the same process ID may have left files.
    rmSync(partial, { recursive: true, force: true });
    for (const { path, text } of files) {
      const file = join(partial, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    renameSync(partial, target);
  } catch (thrown) {
    rmSync(partial, { recursive: true, force: true });
    throw fileFault(thrown, 'write', folder);
  }
}

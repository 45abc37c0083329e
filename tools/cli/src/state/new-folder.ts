import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CcpError, fileFault } from '#core';

/**
 * Writes files to a new or empty folder, all or none. Throws `usage` if the folder has files, and
 * the errors of `fileFault`.
 */
export function writeNewFolder(
  folder: string,
  files: readonly { readonly path: string; readonly text: string | Uint8Array }[],
): void {
  const target = resolve(folder);
  if (existsSync(target) && readdirSync(target).length > 0)
    throw new CcpError({
      code: 'usage',
      message: `${folder} is not empty`,
      hint: 'use a new folder: files of an earlier export would remain in it',
    });
  const partial = `${target}.partial-${process.pid}`;
  try {
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

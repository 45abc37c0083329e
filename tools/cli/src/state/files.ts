import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf, fileFault } from '#core';
import { makeFolder, replaceFile } from '#host';

/**
 * Writes a file so that a reader sees the old bytes or the new ones, never a part. Makes the folder. `flush: false` is for what a
 * loss of power may cost, and whose reader bears a part then. Raises what `fileFault` says.
 */
export function writeAtomically(path: string, text: string, how: { readonly flush: boolean } = { flush: true }): void {
  try {
    makeFolder(dirname(path));
  } catch (thrown) {
    throw fileFault(thrown, 'write', dirname(path));
  }
  try {
    replaceFile(path, text, how);
  } catch (thrown) {
    throw fileFault(thrown, 'write', path);
  }
}

/** The file's text; `undefined` where there is none. Raises what `fileFault` says. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw fileFault(error, 'read', path);
  }
}

import { dirname } from 'node:path';
import { codeOf, fileFault } from '#core';
import { makeFolder, readBounded, replaceFile } from '#host';

/**
 * Writes a file atomically; creates the folder. `flush: false` is for files that may be lost or
 * truncated by a power failure. Throws the errors of `fileFault`.
 */
export function writeAtomically(
  path: string,
  text: string,
  how: { readonly flush: boolean } = { flush: true },
): void {
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

/** The file's text; `undefined` if it does not exist. Throws the errors of `fileFault`. */
export function readIfThere(path: string): string | undefined {
  try {
    return readBounded(path).toString();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw fileFault(error, 'read', path);
  }
}

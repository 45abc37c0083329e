import { lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileFault } from '#core';
import { replaceFile } from '#host';

/** How the file is made that `ccp build` and `ccp explain --against` take. */
export const MAKE_PLAN = 'make one with `ccp plan -o FILE`';

/** The text of a file that the command line names; `hint` says how such a file is made. Raises what `fileFault` says. */
export function readNamed(file: string, hint: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    throw fileFault(thrown, 'read', file, hint);
  }
}

/**
 * Writes a file that the command line names, whole or not at all; what is there and no plain file (a device, a pipe, a link) is
 * written through. Makes no folder: a mistyped path shall not become one. `mode` is that of a file that was not there, or was a
 * plain one. Raises what `fileFault` says.
 */
export function writeNamed(file: string, data: string | Uint8Array, { mode }: { readonly mode?: number } = {}): void {
  const plain = lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
  try {
    if (plain) replaceFile(file, data, { mode });
    else writeFileSync(file, data, { mode });
  } catch (thrown) {
    throw fileFault(thrown, 'write', file, plain ? `make its folder first: ${dirname(file)}` : undefined);
  }
}

import { lstatSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileFault } from '#core';
import { readGiven, replaceFile } from '#host';

/** Hint for a missing plan file of `ccp build` and `ccp explain --against`. */
export const PLAN_HINT = 'make one with `ccp plan -o FILE`';

/**
 * The text of a file named on the command line; `hint` is how to create one. Throws the errors of
 * `fileFault`.
 */
export function readNamed(file: string, hint: string): string {
  try {
    return readGiven(file).toString();
  } catch (thrown) {
    throw fileFault(thrown, 'read', file, hint);
  }
}

/**
 * Writes a file named on the command line atomically; an existing device, pipe or link is written
 * through. Creates no folder, since the path may be mistyped. `mode` applies to new and regular
 * files. Throws the errors of `fileFault`.
 */
export function writeNamed(
  file: string,
  data: string | Uint8Array,
  { mode }: { readonly mode?: number } = {},
): void {
  const plain = lstatSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
  try {
    if (plain) replaceFile(file, data, { mode });
    else writeFileSync(file, data, { mode });
  } catch (thrown) {
    throw fileFault(
      thrown,
      'write',
      file,
      plain ? `create its folder first: ${dirname(file)}` : undefined,
    );
  }
}

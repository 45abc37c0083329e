import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

export interface ReplaceOptions {
  /** False for a file that can be lost on a power failure. */
  readonly flush?: boolean;
  readonly mode?: number | undefined;
  /** Folder for the draft, on the same disk; the folder of the file if absent. */
  readonly scratch?: string;
}

/**
 * Replaces a file atomically: readers see its old or its new content, also after a kill. The folder
 * of the file must exist. Throws errors of the system.
 */
export function replaceFile(
  path: string,
  data: string | Uint8Array,
  { flush = true, mode, scratch = dirname(path) }: ReplaceOptions = {},
): void {
  const draft = `${basename(path)}.${process.pid}.${randomBytes(4).toString('hex')}.partial`;
  const partial = join(scratch, draft);
  try {
    writeFileSync(partial, data, { flush, mode });
    renameSync(partial, path);
  } catch (thrown) {
    rmSync(partial, { force: true });
    throw thrown;
  }
}

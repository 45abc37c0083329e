import { randomBytes } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Writes a file so that a reader sees its old bytes or all of the new ones, and a kill leaves one of the two. `flush: false` is for what
 * a loss of power may cost. Its folder must be there. Raises what the system says.
 */
export function replaceFile(
  path: string,
  data: string | Uint8Array,
  { flush = true, mode }: { readonly flush?: boolean; readonly mode?: number | undefined } = {},
): void {
  const partial = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.partial`;
  try {
    writeFileSync(partial, data, { flush, mode });
    renameSync(partial, path);
  } catch (thrown) {
    rmSync(partial, { force: true });
    throw thrown;
  }
}

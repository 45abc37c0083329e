import { fileFault } from '#core';
import { parsePolicy, type ReadPolicy } from '#cves';
import { readBounded } from '#host';

const MAX_TEXT = 64 << 20;

/** The policy of `--policy`. Throws `yaml-invalid` with file and line. */
export function readPolicy(file: string): ReadPolicy {
  return parsePolicy(readGivenText(file), file);
}

/** The text of a policy or an OpenVEX document. Throws the errors of `fileFault`. */
export function readGivenText(file: string): string {
  try {
    return readBounded(file, MAX_TEXT).toString();
  } catch (thrown) {
    throw fileFault(thrown, 'read', file);
  }
}

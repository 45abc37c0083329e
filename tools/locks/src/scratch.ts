import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, fileFault } from '#core';
import { makeFolder } from '#host';

const PREFIX = '.run-';
const DAY_MS = 86_400_000;

/**
 * Creates a temporary folder in the cache and removes folders of killed runs after a day. Raises
 * the errors of `fileFault`.
 */
export function openScratch(cache: string): string {
  try {
    makeFolder(cache);
    return makeScratch(cache);
  } catch (thrown) {
    const fault = fileFault(thrown, 'write', cache);
    if (!(fault instanceof CcpError) || fault.code !== 'machine-rights') throw fault;
    throw new CcpError({
      code: fault.code,
      message: fault.message,
      hint: 'give this user the right to write there, or set CCP_CACHE to another folder',
      cause: thrown,
    });
  }
}

function makeScratch(cache: string): string {
  for (const name of readdirSync(cache).filter((entry) => entry.startsWith(PREFIX))) {
    const age =
      Date.now() - (statSync(join(cache, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > DAY_MS) rmSync(join(cache, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(cache, PREFIX));
}

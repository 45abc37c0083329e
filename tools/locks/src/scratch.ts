import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, fileFault } from '#core';
import { makeFolder } from '#host';

const PREFIX = '.run-';
const DAY_MS = 86_400_000;

/** A private folder of one run in the cache; what killed runs left there is removed once it is a day old. Raises what `fileFault` makes of a cache that cannot be written. */
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
    const age = Date.now() - (statSync(join(cache, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > DAY_MS) rmSync(join(cache, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(cache, PREFIX));
}

import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const PREFIX = '.run-';
const DAY_MS = 86_400_000;

/** A private folder of one run in the cache; what killed runs left there is removed once it is a day old. */
export function openScratch(cache: string): string {
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache).filter((entry) => entry.startsWith(PREFIX))) {
    const age = Date.now() - (statSync(join(cache, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > DAY_MS) rmSync(join(cache, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(cache, PREFIX));
}

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '#core';
import { hasEnded, processMark, readBounded } from '#host';

const MAX_MARK_BYTES = 256;

/** Records in `folder`, which only root can write, that this process uses the private engine. */
export function recordUse(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, String(process.pid));
  writeFileSync(path, processMark() ?? '', { mode: 0o600 });
  process.once('exit', () => rmSync(path, { force: true }));
}

/** Process ids of other users of the private engine. Removes the records of exited processes. */
export function findUsers(folder: string): number[] {
  return namesIn(folder)
    .filter((name) => /^[1-9]\d*$/.test(name) && !removeIfExited(join(folder, name)))
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

function removeIfExited(path: string): boolean {
  try {
    if (!hasEnded(readBounded(path, MAX_MARK_BYTES).toString())) return false;
    rmSync(path, { force: true });
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return true;
    throw thrown;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}

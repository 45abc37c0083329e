import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '#host';

/** A folder of another process may belong to another machine or namespace while it is this young. */
const RECENT_MS = 60_000;
const NAME = /^ccp-commit-([1-9]\d{0,9})-\w+$/;

/** A temporary folder; `remove` can be called several times. */
export interface CommitFolder {
  readonly path: string;
  remove(): void;
}

/**
 * Creates a temporary folder for the files of a commit, and removes the folders of killed processes. The
 * folder is also removed if this process exits.
 */
export function makeCommitFolder(): CommitFolder {
  removeOfKilled();
  const path = mkdtempSync(join(tmpdir(), `ccp-commit-${process.pid}-`));
  const remove = (): void => {
    rmSync(path, { recursive: true, force: true });
    process.off('exit', remove);
  };
  process.on('exit', remove);
  return { path, remove };
}

function removeOfKilled(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = NAME.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const path = join(tmpdir(), name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.uid !== process.getuid?.()) continue;
    if (stat.isDirectory() && Date.now() - stat.mtimeMs >= RECENT_MS)
      rmSync(path, { recursive: true, force: true });
  }
}

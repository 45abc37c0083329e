import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CcpError } from '#core';

/** What makes a folder a workspace. */
const MARK = join('images', 'series.yaml');

/**
 * The workspace to work in: the named folder, else the nearest one at or above `cwd`, else the tool's own repository. Raises
 * `usage` where a folder is named that is no workspace.
 */
export function findRoot(named: string | undefined, cwd: string, own: string): string {
  if (named !== undefined) {
    const folder = resolve(cwd, named);
    if (existsSync(join(folder, MARK))) return folder;
    throw new CcpError({ code: 'usage', message: `${named} is not a workspace: it has no ${MARK}`, hint: 'name the folder that holds images/' });
  }
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, MARK))) return folder;
    if (folder === dirname(folder)) return own;
  }
}

import { dirname, resolve } from 'node:path';
import { CcpError } from '#core';
import { isWorkspace, SERIES_FILE } from '#definitions';

/**
 * The workspace to work in: the named folder, else the nearest one at or above `cwd`. The folder of the tool is never taken for it,
 * but where that is no workspace (an image that carries the tool alone) and `cwd` is in none. Raises `usage` where there is no workspace.
 */
export function findRoot(named: string | undefined, cwd: string, own: string): string {
  if (named !== undefined) {
    const folder = resolve(cwd, named);
    if (isWorkspace(folder)) return folder;
    throw new CcpError({
      code: 'usage',
      message: `${named} is not a workspace: it has neither ${SERIES_FILE} nor overlay.yaml`,
      hint: 'name the folder that holds images/',
    });
  }
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (isWorkspace(folder)) return folder;
    if (folder === dirname(folder)) break;
  }
  if (!isWorkspace(own)) return own;
  throw new CcpError({
    code: 'usage',
    message: `${cwd} is not in a workspace: neither it nor a folder above has ${SERIES_FILE} or overlay.yaml`,
    hint: `name the workspace: ccp -C ${own}`,
  });
}

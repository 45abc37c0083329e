import { dirname, resolve } from 'node:path';
import { CcpError } from '#core';
import { isWorkspace, SERIES_FILE } from '#definitions';

/**
 * The workspace to use: the named folder, else the nearest one at or above `cwd`. If `cwd` is in no
 * workspace, the tool's folder is used only if it is not a workspace either (an image with the tool
 * alone). Throws `usage` if no workspace is found.
 */
export function findRoot(named: string | undefined, cwd: string, own: string): string {
  if (named !== undefined) {
    const folder = resolve(cwd, named);
    if (isWorkspace(folder)) return folder;
    throw new CcpError({
      code: 'usage',
      message: `${named} is not a workspace: it has neither ${SERIES_FILE} nor overlay.yaml`,
      hint: 'use a folder that contains images/',
    });
  }
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (isWorkspace(folder)) return folder;
    if (folder === dirname(folder)) break;
  }
  if (!isWorkspace(own)) return own;
  throw new CcpError({
    code: 'usage',
    message: `${cwd} is not in a workspace: neither this folder nor a parent has ${SERIES_FILE} or overlay.yaml`,
    hint: `select a workspace: ccp -C ${own}`,
  });
}

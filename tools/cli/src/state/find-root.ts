import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CcpError, shownPath } from '#core';
import { isWorkspace, SERIES_FILE } from '#definitions';

/** True if the folder has sites; an image set and a site are enough to render and deploy. */
function hasSites(folder: string): boolean {
  return existsSync(join(folder, 'deploy-specs'));
}

function nearestFolder(from: string, fits: (folder: string) => boolean): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (fits(folder)) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/**
 * The workspace to use: the named folder, else the nearest one at or above `cwd`, else the nearest
 * folder with sites. If `cwd` is in no
 * workspace, the tool's folder is used only if it is not a workspace either (an image with the tool
 * alone). Throws `usage` if no workspace is found.
 */
export function findRoot(named: string | undefined, cwd: string, own: string): string {
  if (named !== undefined) {
    const folder = resolve(cwd, named);
    if (isWorkspace(folder) || hasSites(folder)) return folder;
    if (!existsSync(folder))
      throw new CcpError({
        code: 'usage',
        message: `the workspace folder ${shownPath(named)} does not exist`,
        hint: 'check the path after -C',
      });
    throw new CcpError({
      code: 'usage',
      message: `${shownPath(named)} is not a workspace: it has neither ${SERIES_FILE} nor overlay.yaml`,
      hint: 'use a folder that contains images/',
    });
  }
  const folder = nearestFolder(cwd, isWorkspace) ?? nearestFolder(cwd, hasSites);
  if (folder !== undefined) return folder;
  if (!isWorkspace(own)) return own;
  throw new CcpError({
    code: 'usage',
    message: `${shownPath(cwd)} is not in a workspace: neither this folder nor a parent has ${SERIES_FILE} or overlay.yaml`,
    hint: `select a workspace: ccp -C ${own}`,
  });
}

import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CcpError } from '#core';

const WRITABLE_BY_GROUP = 0o020;
const WRITABLE_BY_OTHERS = 0o002;
const STICKY = 0o1000;
const MAX_LINKS = 40;

/**
 * Describes who else can replace the file or folder at `path`, or create it if it does not exist;
 * `undefined` if only this user and root can. The path, all folders above it and the targets of
 * links are checked. A sticky folder (such as /tmp) is safe for files of this user, and so is a
 * folder of the user's private group (same number as the user, as on Debian).
 */
export function otherWriters(path: string): string | undefined {
  return faultOf(resolve(path), 0);
}

function faultOf(path: string, links: number): string | undefined {
  if (links > MAX_LINKS) return `${path} is behind too many links`;
  for (let at = path, isTarget = true; ; at = dirname(at), isTarget = false) {
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    const user = process.geteuid?.() ?? 0;
    if (stat.uid !== user && stat.uid !== 0) return `${at} belongs to user ${stat.uid}`;
    if (stat.isSymbolicLink()) {
      const target = faultOf(resolve(dirname(at), readlinkSync(at)), links + 1);
      if (target !== undefined) return target;
    } else if (isTarget || (stat.mode & STICKY) === 0) {
      const mode = `mode ${(stat.mode & 0o7777).toString(8)}`;
      if ((stat.mode & WRITABLE_BY_OTHERS) !== 0)
        return `${at} can be written by everyone (${mode})`;
      const isPrivateGroup = user !== 0 && stat.gid === user && stat.uid === user;
      if ((stat.mode & WRITABLE_BY_GROUP) !== 0 && stat.gid !== 0 && !isPrivateGroup)
        return `${at} can be written by group ${stat.gid} (${mode})`;
    }
    if (at === dirname(at)) return undefined;
  }
}

/**
 * Throws `machine-rights` for a program, or a folder of programs, that another user could have
 * replaced; `what` is its name in the message.
 */
export function requirePrivate(path: string, what: string): void {
  const fault = otherWriters(path);
  if (fault === undefined) return;
  throw new CcpError({
    code: 'machine-rights',
    message: `${what} is not used, because other users could have replaced it: ${fault}`,
    hint: 'remove write access for other users (chmod go-w, chown), or set CCP_CACHE to a folder that only this user can write to',
  });
}

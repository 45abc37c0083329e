import { randomBytes } from 'node:crypto';
import { lstat, readdir, rename } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { codeOf, sha256 as sha256Of, type Sha256 } from '#core';
import { isRunning, makeFolder } from '#host';
import type { Cache } from '../cache/cache.ts';

/** A download of another host that has not grown for this long is abandoned. */
const ABANDONED_MS = 3_600_000;
const HOST = sha256Of(hostname()).slice(0, 8);

/**
 * Returns this process's file for an entry's download, with the bytes of an earlier unfinished
 * download if one exists. Its name ends with host, process and a random number, so that no two
 * downloads write the same file.
 */
export async function claimPartial(cache: Cache, sha256: Sha256): Promise<string> {
  makeFolder(cache.partialFolder);
  const own = join(
    cache.partialFolder,
    `${sha256}.${HOST}.${process.pid}.${randomBytes(4).toString('hex')}`,
  );
  for (const name of await readdir(cache.partialFolder)) {
    if (!name.startsWith(`${sha256}.`)) continue;
    const path = join(cache.partialFolder, name);
    if (!(await isFree(path, name))) continue;
    try {
      await rename(path, own);
      return own;
    } catch (cause) {
      if (codeOf(cause) !== 'ENOENT' && codeOf(cause) !== 'EACCES' && codeOf(cause) !== 'EPERM')
        throw cause;
    }
  }
  return own;
}

/**
 * Keeps an unfinished download for the next attempt by any process; no error if the file does not
 * exist.
 */
export async function releasePartial(cache: Cache, sha256: Sha256, path: string): Promise<void> {
  await rename(path, join(cache.partialFolder, `${sha256}.part`)).catch((cause: unknown) => {
    if (codeOf(cause) !== 'ENOENT') throw cause;
  });
}

/** Whether the path is a regular file that no process writes to; opening a pipe would block. */
async function isFree(path: string, name: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isFile() !== true) return false;
  if (name.endsWith('.part')) return true;
  const [, host, pid] = name.split('.');
  if (host === HOST) return !isRunning(Number(pid));
  return Date.now() - found.mtimeMs > ABANDONED_MS;
}

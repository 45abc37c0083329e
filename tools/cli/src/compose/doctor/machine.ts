import { readFileSync, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { dirname } from 'node:path';
import { codeOf, messageOf } from '#core';
import { proxiedFetch } from '#host';
import type { DiskSpace } from './check-disk.ts';
import type { MirrorProbe } from './check-mirrors.ts';

const REQUEST_MS = 10_000;

/** The text of a file; undefined if it cannot be read. */
export function readTextFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/** Space in the file system of `folder`, or of the nearest folder above it that exists. */
export function spaceOf(folder: string): DiskSpace {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (stat === undefined) return spaceOf(dirname(folder));
  const { bavail, bsize } = statfsSync(folder);
  return { device: stat.dev, freeBytes: bavail * bsize };
}

/** Listens on a loopback port for a moment; resolves with the error code, if any. */
export function tryPort(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => resolve(codeOf(error) ?? error.message));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(undefined)));
  });
}

/** The IPv4 addresses of this machine, with their interfaces. */
export function addresses(): readonly { readonly name: string; readonly address: string }[] {
  return Object.entries(networkInterfaces()).flatMap(([name, each = []]) =>
    each.filter(({ family }) => family === 'IPv4').map(({ address }) => ({ name, address })),
  );
}

/** Asks a mirror for its root. */
export async function probe(url: string): Promise<MirrorProbe> {
  try {
    const { status, headers } = await proxiedFetch(url, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    return { url, status, date: dateOf(headers) };
  } catch (thrown) {
    const cause = (thrown as Error).cause ?? thrown;
    return { url, fault: codeOf(cause) ?? messageOf(cause) };
  }
}

/** The server's time; a cache adds the age of its copy. */
function dateOf(headers: Headers): Date | undefined {
  const date = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(date) ? undefined : new Date(date + Number(headers.get('age') ?? 0) * 1000);
}

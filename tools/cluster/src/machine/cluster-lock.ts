import { omitUndefined } from '#core';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { requirePrivate, withLock } from '#host';

/** Folder of the lock that all clusters of this machine share: only root starts and stops them. */
const RUN = '/run/ccp-cluster';

/**
 * Runs `work` while no other process starts or stops a cluster. Users without root have no cluster
 * and need no lock.
 */
export async function withClusterLock<T>(
  say: ((sentence: string) => void) | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (process.getuid?.() !== 0) return await work();
  mkdirSync(RUN, { recursive: true, mode: 0o700 });
  requirePrivate(RUN, 'the folder of the cluster lock');
  const wait = { what: 'the cluster', ...omitUndefined({ say }) };
  return await withLock(join(RUN, 'lock'), wait, work);
}

import { CcpError } from '#core';
import { findRollback } from '#rollout';
import type { ReleaseStatus } from '../resources/types.ts';
import type { Pass } from './pass.ts';
import { isTransient } from './transient.ts';

const LONGEST = 512;

/** Whether the site can be rolled back, to which revision, or why not. Reads only. */
export async function rollbackAllowed({
  context: { cluster },
  site,
}: Pick<Pass, 'context' | 'site'>): Promise<NonNullable<ReleaseStatus['rollback']>> {
  try {
    const { record } = await findRollback(cluster, site);
    return { allowed: true, to: record.revision };
  } catch (thrown) {
    if (!(thrown instanceof CcpError) || isTransient(thrown)) throw thrown;
    return { allowed: false, reason: thrown.message.slice(0, LONGEST) };
  }
}

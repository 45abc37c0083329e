import type { Clock, Cluster } from '#ports';
import type { Emit } from './events.ts';
import { lockedBy, lockHolder } from './lock.ts';
import { LOCK_SECONDS } from './renew-lease.ts';
import type { SiteName } from './site-name.ts';

const LOOK_SECONDS = 1;

/**
 * Waits until no run changes the site. The lock of a killed run is not renewed, and is ignored
 * after its duration; only the local clock is used, so clocks need not agree. Resolves early if
 * `signal` aborts. Reads only. A backup or a restore may take hours, so after `limitSeconds` it
 * throws `deploy-locked` with the holder.
 */
export async function waitForRun(
  cluster: Pick<Cluster, 'get'>,
  site: SiteName,
  {
    clock,
    emit,
    signal,
    limitSeconds = Infinity,
  }: {
    readonly clock: Clock;
    readonly emit: Emit;
    readonly signal: AbortSignal;
    readonly limitSeconds?: number;
  },
): Promise<void> {
  let seen: { readonly renewedAt: string; readonly at: number } | undefined;
  const since = clock.now();
  for (;;) {
    const holder = await lockHolder(cluster, site);
    if (holder === undefined || signal.aborted) return;
    const { name, renewedAt } = holder;
    if (seen === undefined) emit({ type: 'run-waits', holder: name });
    if (seen?.renewedAt !== renewedAt) seen = { renewedAt, at: clock.now() };
    else if (clock.now() - seen.at >= LOCK_SECONDS * 1000) return;
    if (clock.now() - since >= limitSeconds * 1000) throw lockedBy(name, site);
    await clock.sleep(LOOK_SECONDS * 1000, signal);
  }
}

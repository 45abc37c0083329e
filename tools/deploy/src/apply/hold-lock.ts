import { CcpError } from '#core';
import type { Cluster, LiveObject, ObjectRef } from '#ports';
import { FIELD_MANAGER } from '../live/site-kinds.ts';
import type { Clock } from './clock.ts';
import type { Emit } from './events.ts';

/** Seconds after the last renewal at which a holder counts as gone. */
export const LOCK_SECONDS = 15;
const RENEW_SECONDS = 5;
/** Between two tries while the server does not answer. */
const AGAIN_SECONDS = 1;
/** Seconds without a renewal, though nobody else has the lock, after which a run ends. */
const SILENT_SECONDS = 90;

/** The right to change a site. */
export interface SiteLock {
  /** Aborts when the lock is lost, or the server silent for too long. */
  readonly signal: AbortSignal;
  /**
   * Resolves while nobody else can have the lock; where it was not renewed in time it waits until it is. Raises `deploy-lock-lost` where
   * another has it, and `deploy-lock-silent` where the server answers no more.
   */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

/** Renews a Lease that was taken at `since` until it is released. A server that is silent costs the lock only where another has taken it since. */
export function holdLock(
  cluster: Cluster,
  ref: ObjectRef,
  first: LiveObject,
  since: number,
  { holder, clock, emit, signal }: { readonly holder: string; readonly clock: Clock; readonly emit: Emit; readonly signal?: AbortSignal | undefined },
): SiteLock {
  const lost = new AbortController();
  const ended = new AbortController();
  const over = AbortSignal.any([lost.signal, ended.signal]);
  let lease = first;
  let renewed = since;
  const age = (): number => (clock.now() - renewed) / 1000;
  const lose = (error: CcpError): void => lost.abort(error);
  const renew = async (): Promise<void> => {
    const start = clock.now();
    const spec = { ...(lease['spec'] as object), renewTime: microTime(clock) };
    const outcome = await cluster.update({ ...lease, spec }, { fieldManager: FIELD_MANAGER });
    if (outcome.outcome === 'updated') {
      lease = outcome.object;
      renewed = start;
      return;
    }
    const found = await cluster.get(ref);
    const other = (found?.['spec'] as { readonly holderIdentity?: string } | undefined)?.holderIdentity;
    // A renewal whose answer was lost may have made it another version: it is renewed anew from what is there.
    if (found !== undefined && other === holder) lease = found;
    else lose(lostTo(other));
  };
  const renewing = (async () => {
    while (!over.aborted) {
      await clock.sleep((age() < RENEW_SECONDS ? RENEW_SECONDS : AGAIN_SECONDS) * 1000, over);
      if (!over.aborted) await renew().catch(() => undefined);
      if (age() >= SILENT_SECONDS) lose(silent(age()));
    }
  })();
  return {
    signal: lost.signal,
    assertHeld: async () => {
      while (!lost.signal.aborted && age() >= LOCK_SECONDS) {
        if (signal?.aborted === true) throw new CcpError({ code: 'cancelled', message: 'cancelled while the server did not answer' });
        if (age() >= SILENT_SECONDS) lose(silent(age()));
        await clock.sleep(AGAIN_SECONDS * 1000, lost.signal);
      }
      lost.signal.throwIfAborted();
    },
    release: async () => {
      ended.abort();
      if (lost.signal.aborted) return;
      await renewing;
      const { uid, resourceVersion } = lease.metadata;
      // A Lease that stays behind is taken over once its time is over.
      await cluster.delete(ref, { preconditions: { uid, resourceVersion } }).catch(() => undefined);
      emit({ type: 'lock', state: 'released' });
    },
  };
}

function lostTo(holder: string | undefined): CcpError {
  return new CcpError({
    code: 'deploy-lock-lost',
    message: holder === undefined ? 'the lock of the site was deleted' : `${holder} has the lock of the site now: it was not renewed in time`,
    hint: 'run it again: it goes on where it stopped',
  });
}

function silent(seconds: number): CcpError {
  return new CcpError({
    code: 'deploy-lock-silent',
    message: `the server has not answered for ${Math.floor(seconds)} s, so the lock of the site could not be renewed; nobody else is known to have it`,
    hint: 'look at the API server and the way to it, and run it again: it goes on where it stopped',
  });
}

/** RFC 3339 with microseconds, which is the only form that a Lease takes. */
export function microTime(clock: Clock): string {
  return new Date(clock.now()).toISOString().replace('Z', '000Z');
}

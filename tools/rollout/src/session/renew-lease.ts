import { CcpError } from '#core';
import { asKind, type Clock, type Cluster, type LiveObject, type ObjectRef } from '#ports';
import { FIELD_MANAGER } from '#site';
import type { Emit } from './events.ts';

/** Seconds after the last renewal at which a holder has lost the lock. */
export const LOCK_SECONDS = 15;
const RENEW_SECONDS = 5;
/** Seconds between two tries while the server does not answer. */
const AGAIN_SECONDS = 1;
/** Seconds without a renewal after which a run stops, even if no other run has the lock. */
const SILENT_SECONDS = 90;

/** The right to change a site. */
export interface SiteLock {
  /** Aborts when the lock is lost, or the server does not answer for too long. */
  readonly signal: AbortSignal;
  /**
   * Resolves while no other run can have the lock; waits if it was not renewed in time. Throws
   * `deploy-lock-lost` if another run has it, and `deploy-lock-silent` if the server no longer
   * answers.
   */
  assertHeld(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Renews a Lease taken at `since` until it is released. While the server does not answer, the lock
 * is lost only if another run takes it.
 */
export function renewLease(
  cluster: Cluster,
  ref: ObjectRef,
  first: LiveObject,
  since: number,
  {
    holder,
    clock,
    emit,
    signal,
  }: {
    readonly holder: string;
    readonly clock: Clock;
    readonly emit: Emit;
    readonly signal?: AbortSignal | undefined;
  },
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
    const spec = { ...asKind('Lease', lease).spec, renewTime: microTime(clock) };
    const outcome = await cluster.update({ ...lease, spec }, { fieldManager: FIELD_MANAGER });
    if (outcome.outcome === 'updated') {
      lease = outcome.object;
      renewed = start;
      return;
    }
    const found = await cluster.get(ref);
    const other = asKind('Lease', found)?.spec?.holderIdentity;
    // A renewal whose answer was lost may have changed the version: continue from the live Lease.
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
        if (signal?.aborted === true)
          throw new CcpError({
            code: 'cancelled',
            message: 'cancelled while the API server did not answer',
          });
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
      // A remaining Lease is taken over when it expires.
      await cluster.delete(ref, { preconditions: { uid, resourceVersion } }).catch(() => undefined);
      emit({ type: 'lock', state: 'released' });
    },
  };
}

function lostTo(holder: string | undefined): CcpError {
  return new CcpError({
    code: 'deploy-lock-lost',
    message:
      holder === undefined
        ? "the site's lock was deleted"
        : `${holder} now holds the site's lock: this run did not renew it in time`,
    hint: 'run the command again: it continues where it stopped',
  });
}

function silent(seconds: number): CcpError {
  return new CcpError({
    code: 'deploy-lock-silent',
    message: `the API server has not answered for ${Math.floor(seconds)} s, so the site's lock could not be renewed; no other holder is known`,
    hint: 'check the API server and the connection to it, then run the command again: it continues where it stopped',
  });
}

/** RFC 3339 with microseconds, the only format that a Lease accepts. */
export function microTime(clock: Clock): string {
  return new Date(clock.now()).toISOString().replace('Z', '000Z');
}

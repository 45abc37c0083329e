import { CcpError } from '#core';
import type { Cluster, LiveObject, ObjectRef } from '#ports';
import type { SiteName } from '../live/read-live.ts';
import { FIELD_MANAGER } from '../live/site-kinds.ts';
import type { Clock } from './clock.ts';
import type { Emit } from './events.ts';

/** Seconds after the last renewal at which a holder counts as gone. */
const LOCK_SECONDS = 15;
const RENEW_SECONDS = 5;
const LOOK_SECONDS = 1;

/** The right to change a site. */
export interface SiteLock {
  /** Aborts when the lock is lost. */
  readonly signal: AbortSignal;
  /** Raises `deploy-lock-lost` where the lock may be another's by now. */
  assertHeld(): void;
  release(): Promise<void>;
}

export interface LockOptions {
  /** Who takes it; different for every run. */
  readonly holder: string;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly signal?: AbortSignal;
}

/**
 * Takes the site's Lease and renews it until it is released. A Lease that is not renewed for its duration while we look is taken
 * over: our own clock decides that, so clocks need not agree. Raises `deploy-locked` with the holder's name where it is renewed.
 */
export async function takeLock(cluster: Cluster, site: SiteName, { holder, clock, emit, signal }: LockOptions): Promise<SiteLock> {
  const ref = leaseOf(site);
  const specOf = (transitions: number) => ({
    holderIdentity: holder,
    leaseDurationSeconds: LOCK_SECONDS,
    acquireTime: microTime(clock),
    renewTime: microTime(clock),
    leaseTransitions: transitions,
  });
  const { apiVersion, kind, name, namespace } = ref;
  const labels = { 'app.kubernetes.io/part-of': site.name, 'app.kubernetes.io/managed-by': 'ccp' };
  let seen: { readonly version: string; readonly at: number } | undefined;
  let lease: LiveObject;
  for (;;) {
    if (signal?.aborted === true) throw new CcpError({ code: 'cancelled', message: 'cancelled while waiting for the lock' });
    const asked = clock.now();
    const made = await cluster.create(
      { apiVersion, kind, metadata: { name, namespace: namespace!, labels }, spec: specOf(0) },
      { fieldManager: FIELD_MANAGER },
    );
    if (made.outcome === 'created') {
      lease = made.object;
      emit({ type: 'lock', state: 'taken' });
      return hold(cluster, ref, lease, asked, { holder, clock, emit });
    }
    const found = await cluster.get(ref);
    if (found === undefined) continue;
    const spec = found['spec'] as { holderIdentity?: string; leaseDurationSeconds?: number; leaseTransitions?: number };
    const { resourceVersion } = found.metadata;
    const duration = spec.leaseDurationSeconds ?? LOCK_SECONDS;
    if (seen !== undefined && seen.version !== resourceVersion) throw lockedBy(spec.holderIdentity ?? 'another run', site);
    if (seen === undefined) emit({ type: 'lock', state: 'waiting', holder: spec.holderIdentity ?? 'another run', seconds: duration });
    seen ??= { version: resourceVersion, at: clock.now() };
    if (clock.now() - seen.at >= duration * 1000) {
      const start = clock.now();
      const taken = await cluster.update({ ...found, spec: specOf((spec.leaseTransitions ?? 0) + 1) }, { fieldManager: FIELD_MANAGER });
      if (taken.outcome === 'stale') throw lockedBy('another run', site);
      if (taken.outcome === 'missing') continue;
      emit({ type: 'lock', state: 'taken-over' });
      return hold(cluster, ref, taken.object, start, { holder, clock, emit });
    }
    await clock.sleep(LOOK_SECONDS * 1000, signal);
  }
}

/** Who holds a lock and when it was renewed last, by the holder's clock: a run that was killed leaves its Lease until the next one takes it over. */
export interface LockHolder {
  readonly name: string;
  /** RFC 3339. */
  readonly renewedAt: string;
}

/** The holder of a site's lock; reads only. */
export async function lockHolder(cluster: Pick<Cluster, 'get'>, site: SiteName): Promise<LockHolder | undefined> {
  const lease = await cluster.get(leaseOf(site));
  const { holderIdentity: name, renewTime: renewedAt = 'an unknown time' } = (lease?.['spec'] ?? {}) as {
    readonly holderIdentity?: string;
    readonly renewTime?: string;
  };
  return name === undefined ? undefined : { name, renewedAt: renewedAt.replace(/000Z$/, 'Z') };
}

function leaseOf(site: SiteName): ObjectRef {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name: `ccp-${site.name}`, namespace: site.namespace };
}

function hold(cluster: Cluster, ref: ObjectRef, first: LiveObject, since: number, { clock, emit }: Pick<LockOptions, 'holder' | 'clock' | 'emit'>): SiteLock {
  const lost = new AbortController();
  const ended = new AbortController();
  let lease = first;
  let renewed = since;
  const renew = async (): Promise<void> => {
    const start = clock.now();
    const spec = { ...(lease['spec'] as object), renewTime: microTime(clock) };
    const outcome = await cluster.update({ ...lease, spec }, { fieldManager: FIELD_MANAGER });
    if (outcome.outcome !== 'updated') return lost.abort();
    lease = outcome.object;
    renewed = start;
  };
  const renewing = (async () => {
    while (!ended.signal.aborted && !lost.signal.aborted) {
      await clock.sleep(RENEW_SECONDS * 1000, ended.signal);
      if (ended.signal.aborted) return;
      // A server that does not answer for a while costs the lock only once its time is over.
      await renew().catch(() => undefined);
      if (clock.now() - renewed >= LOCK_SECONDS * 1000) lost.abort();
    }
  })();
  return {
    signal: lost.signal,
    assertHeld: () => {
      if (!lost.signal.aborted && clock.now() - renewed < LOCK_SECONDS * 1000) return;
      lost.abort();
      throw new CcpError({
        code: 'deploy-lock-lost',
        message: 'the lock of the site could not be renewed in time, another run may hold it now',
        hint: 'run it again: it goes on where it stopped',
      });
    },
    release: async () => {
      ended.abort();
      await renewing;
      if (lost.signal.aborted) return;
      const { uid, resourceVersion } = lease.metadata;
      // A Lease that stays behind is taken over once its time is over.
      await cluster.delete(ref, { preconditions: { uid, resourceVersion } }).catch(() => undefined);
      emit({ type: 'lock', state: 'released' });
    },
  };
}

function lockedBy(holder: string, site: SiteName): CcpError {
  return new CcpError({ code: 'deploy-locked', message: `${holder} is changing the site "${site.name}" now`, hint: 'run it again when that has ended' });
}

/** RFC 3339 with microseconds, which is the only form that a Lease takes. */
function microTime(clock: Clock): string {
  return new Date(clock.now()).toISOString().replace('Z', '000Z');
}

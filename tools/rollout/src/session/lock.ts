import { CcpError } from '#core';
import { asKind, type Clock, type Cluster, type LiveObject, type ObjectRef } from '#ports';
import { FIELD_MANAGER } from '#site';
import type { Emit } from './events.ts';
import { renewLease, LOCK_SECONDS, microTime, type SiteLock } from './renew-lease.ts';
import type { SiteName } from './site-name.ts';

const LOOK_SECONDS = 1;

/** Annotation of a Lease with the mark of the process that holds it. */
const PROCESS = 'ccp/process';

/**
 * This process, and a test whether another process of this machine has ended, by the mark in its
 * Lease.
 */
export interface MarkedProcess {
  /** Unique for every process, independent of its number. */
  readonly mark: string;
  /** Whether a mark is of a process of this machine that no longer runs. */
  hasEnded(mark: string): boolean;
}

export interface LockOptions {
  /** The holder; different for every run. */
  readonly holder: string;
  readonly process?: MarkedProcess;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly signal?: AbortSignal;
}

/**
 * Takes the site's Lease and renews it until it is released. A Lease that is not renewed for its
 * duration while ccp waits is taken over; only the local clock is used, so clocks need not agree. A
 * Lease whose process has ended is taken over immediately. Throws `deploy-locked` with the holder's
 * name if it is renewed.
 */
export async function takeLock(
  cluster: Cluster,
  site: SiteName,
  { holder, process, clock, emit, signal }: LockOptions,
): Promise<SiteLock> {
  const ref = leaseOf(site);
  const specOf = (transitions: number) => ({
    holderIdentity: holder,
    leaseDurationSeconds: LOCK_SECONDS,
    acquireTime: microTime(clock),
    renewTime: microTime(clock),
    leaseTransitions: transitions,
  });
  const { apiVersion, kind, name, namespace } = ref;
  const annotations = process === undefined ? {} : { [PROCESS]: process.mark };
  const labels = { 'app.kubernetes.io/part-of': site.name, 'app.kubernetes.io/managed-by': 'ccp' };
  let seen: { readonly version: string; readonly at: number } | undefined;
  let lease: LiveObject;
  for (;;) {
    if (signal?.aborted === true)
      throw new CcpError({ code: 'cancelled', message: 'cancelled while waiting for the lock' });
    const asked = clock.now();
    const made = await cluster.create(
      {
        apiVersion,
        kind,
        metadata: { name, namespace: namespace!, labels, annotations },
        spec: specOf(0),
      },
      { fieldManager: FIELD_MANAGER },
    );
    if (made.outcome === 'created') {
      lease = made.object;
      emit({ type: 'lock', state: 'taken' });
      return renewLease(cluster, ref, lease, asked, { holder, clock, emit, signal });
    }
    const found = await cluster.get(ref);
    if (found === undefined) continue;
    const { spec = {} } = asKind('Lease', found);
    const { resourceVersion } = found.metadata;
    const { [PROCESS]: mark } = found.metadata.annotations ?? {};
    const hasEnded = mark !== undefined && process?.hasEnded(mark) === true;
    const duration = spec.leaseDurationSeconds ?? LOCK_SECONDS;
    if (seen !== undefined && seen.version !== resourceVersion)
      throw lockedBy(spec.holderIdentity ?? 'another run', site);
    if (seen === undefined && !hasEnded)
      emit({
        type: 'lock',
        state: 'waiting',
        holder: spec.holderIdentity ?? 'another run',
        seconds: duration,
      });
    seen ??= { version: resourceVersion, at: clock.now() };
    if (hasEnded || clock.now() - seen.at >= duration * 1000) {
      const start = clock.now();
      const { [PROCESS]: _, ...others } = found.metadata.annotations ?? {};
      const ours = {
        ...found,
        metadata: { ...found.metadata, annotations: { ...others, ...annotations } },
        spec: specOf((spec.leaseTransitions ?? 0) + 1),
      };
      const taken = await cluster.update(ours, { fieldManager: FIELD_MANAGER });
      if (taken.outcome === 'stale') throw lockedBy('another run', site);
      if (taken.outcome === 'missing') continue;
      emit({ type: 'lock', state: 'taken-over' });
      return renewLease(cluster, ref, taken.object, start, { holder, clock, emit, signal });
    }
    await clock.sleep(LOOK_SECONDS * 1000, signal);
  }
}

/**
 * The holder of a lock and its last renewal by the holder's clock. A killed run leaves its Lease
 * until the next run takes it over.
 */
export interface LockHolder {
  readonly name: string;
  /** RFC 3339. */
  readonly renewedAt: string;
}

/** The holder of a site's lock; reads only. */
export async function lockHolder(
  cluster: Pick<Cluster, 'get'>,
  site: SiteName,
): Promise<LockHolder | undefined> {
  const lease = await cluster.get(leaseOf(site));
  const { holderIdentity: name, renewTime: renewedAt = 'an unknown time' } =
    asKind('Lease', lease)?.spec ?? {};
  return name === undefined ? undefined : { name, renewedAt: renewedAt.replace(/000Z$/, 'Z') };
}

function leaseOf(site: SiteName): ObjectRef {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    name: `ccp-${site.name}`,
    namespace: site.namespace,
  };
}

/** The error of a command that another run prevents. */
export function lockedBy(holder: string, site: SiteName): CcpError {
  return new CcpError({
    code: 'deploy-locked',
    message: `${holder} is changing the site "${site.name}" now`,
    hint: 'run the command again when that run has finished',
  });
}

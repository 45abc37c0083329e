import { CcpError } from '#core';
import type { Cluster, LiveObject, ObjectRef } from '#ports';
import type { SiteName } from '../live/read-live.ts';
import { FIELD_MANAGER } from '../live/site-kinds.ts';
import type { Clock } from './clock.ts';
import type { Emit } from './events.ts';
import { holdLock, LOCK_SECONDS, microTime, type SiteLock } from './hold-lock.ts';

const LOOK_SECONDS = 1;

/** Annotation of a Lease with the mark of the process that holds it. */
const PROCESS = 'ccp/process';

/** This process, and how one of this machine is known to have ended: by what stands in a Lease of it. */
export interface MarkedProcess {
  /** Different for every process, whatever its number. */
  readonly mark: string;
  /** Whether a mark is of a process of this machine that runs no more. */
  hasEnded(mark: string): boolean;
}

export interface LockOptions {
  /** Who takes it; different for every run. */
  readonly holder: string;
  readonly process?: MarkedProcess;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly signal?: AbortSignal;
}

/**
 * Takes the site's Lease and renews it until it is released. A Lease that is not renewed for its duration while we look is taken
 * over: our own clock decides that, so clocks need not agree. One whose process is known to have ended is taken over at once. Raises `deploy-locked` with the holder's name where it is renewed.
 */
export async function takeLock(cluster: Cluster, site: SiteName, { holder, process, clock, emit, signal }: LockOptions): Promise<SiteLock> {
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
    if (signal?.aborted === true) throw new CcpError({ code: 'cancelled', message: 'cancelled while waiting for the lock' });
    const asked = clock.now();
    const made = await cluster.create(
      { apiVersion, kind, metadata: { name, namespace: namespace!, labels, annotations }, spec: specOf(0) },
      { fieldManager: FIELD_MANAGER },
    );
    if (made.outcome === 'created') {
      lease = made.object;
      emit({ type: 'lock', state: 'taken' });
      return holdLock(cluster, ref, lease, asked, { holder, clock, emit, signal });
    }
    const found = await cluster.get(ref);
    if (found === undefined) continue;
    const spec = found['spec'] as { holderIdentity?: string; leaseDurationSeconds?: number; leaseTransitions?: number };
    const { resourceVersion } = found.metadata;
    const { [PROCESS]: mark } = found.metadata.annotations ?? {};
    const hasEnded = mark !== undefined && process?.hasEnded(mark) === true;
    const duration = spec.leaseDurationSeconds ?? LOCK_SECONDS;
    if (seen !== undefined && seen.version !== resourceVersion) throw lockedBy(spec.holderIdentity ?? 'another run', site);
    if (seen === undefined && !hasEnded) emit({ type: 'lock', state: 'waiting', holder: spec.holderIdentity ?? 'another run', seconds: duration });
    seen ??= { version: resourceVersion, at: clock.now() };
    if (hasEnded || clock.now() - seen.at >= duration * 1000) {
      const start = clock.now();
      const { [PROCESS]: _, ...others } = found.metadata.annotations ?? {};
      const ours = { ...found, metadata: { ...found.metadata, annotations: { ...others, ...annotations } }, spec: specOf((spec.leaseTransitions ?? 0) + 1) };
      const taken = await cluster.update(ours, { fieldManager: FIELD_MANAGER });
      if (taken.outcome === 'stale') throw lockedBy('another run', site);
      if (taken.outcome === 'missing') continue;
      emit({ type: 'lock', state: 'taken-over' });
      return holdLock(cluster, ref, taken.object, start, { holder, clock, emit, signal });
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

function lockedBy(holder: string, site: SiteName): CcpError {
  return new CcpError({ code: 'deploy-locked', message: `${holder} is changing the site "${site.name}" now`, hint: 'run it again when that has ended' });
}

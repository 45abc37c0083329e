import type { Cluster } from '#ports';
import { refOf } from '#site';
import { failingProbe, type FailingProbe } from './failing-probe.ts';
import type { PodFailure } from './pod-failure.ts';
import { waitingClaims } from './waiting-claims.ts';

/** The cause of a pod failure that its own status does not show. */
export interface PodCause {
  readonly probe?: FailingProbe;
  /** The text about claims that are not bound. */
  readonly claims?: string;
}

/** Seconds until a container with a failing liveness probe has failed, restarts included. */
const LIVENESS_SECONDS = 60;

/**
 * Reads the cause of a pod failure from the cluster: events of probes, claims. Data that the
 * cluster does not return is left out.
 */
export async function podCause(
  cluster: Cluster,
  { pod, container, hides }: PodFailure,
): Promise<PodCause> {
  if (hides === 'claims') {
    const claims = await waitingClaims(cluster, pod).catch(() => undefined);
    return claims === undefined ? {} : { claims };
  }
  if (hides !== 'probe' || container === undefined) return {};
  const probe = failingProbe(pod, container, await cluster.events(refOf(pod)).catch(() => []));
  return probe === undefined ? {} : { probe };
}

/**
 * A pod failure with its cause. A failing liveness probe is the failure itself: the restarts follow
 * from it.
 */
export function withCause(failure: PodFailure, { probe, claims }: PodCause): PodFailure {
  const { hides, ...shown } = failure;
  const { container, reason, timeoutSeconds, ended } = shown;
  if (hides === 'claims' && claims !== undefined)
    return { ...shown, reason: `no node can run it: ${claims}` };
  // The probes of a container that crashes by itself fail too.
  if (hides !== 'probe' || probe === undefined || (ended === true && !probe.kills)) return failure;
  const { kind, name, got } = probe;
  if (kind === 'liveness')
    return {
      ...shown,
      reason: `container "${container}" fails its ${name}: ${got}`,
      timeoutSeconds: Math.min(timeoutSeconds, LIVENESS_SECONDS),
      sinceStart: true,
      broken: true,
    };
  return { ...shown, reason: `${reason}${ended === true ? '; ' : ': '}its ${name} fails: ${got}` };
}

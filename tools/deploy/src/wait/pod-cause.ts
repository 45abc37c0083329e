import type { Cluster } from '#ports';
import { refOf } from '../live/object-key.ts';
import { failingProbe, type FailingProbe } from './failing-probe.ts';
import type { PodTrouble } from './pod-trouble.ts';
import { waitingClaims } from './waiting-claims.ts';

/** What is behind a pod's trouble that its own status does not tell. */
export interface PodCause {
  readonly probe?: FailingProbe;
  /** What its claims wait for. */
  readonly claims?: string;
}

/** Seconds that a container has whose liveness probe fails, restarts or not. */
const LIVENESS_PATIENCE = 60;

/** Asks the cluster for what is behind a trouble: events of probes, claims. What it does not give is left out. */
export async function podCause(cluster: Cluster, { pod, container, hides }: PodTrouble): Promise<PodCause> {
  if (hides === 'claims') {
    const claims = await waitingClaims(cluster, pod).catch(() => undefined);
    return claims === undefined ? {} : { claims };
  }
  if (hides !== 'probe' || container === undefined) return {};
  const probe = failingProbe(pod, container, await cluster.events(refOf(pod)).catch(() => []));
  return probe === undefined ? {} : { probe };
}

/** A trouble that is told with its cause. A liveness probe that fails is the trouble itself: the restarts come from it. */
export function withCause(trouble: PodTrouble, { probe, claims }: PodCause): PodTrouble {
  const { hides, ...told } = trouble;
  const { container, reason, patience, ended } = told;
  if (hides === 'claims' && claims !== undefined) return { ...told, reason: `no node takes it: ${claims}` };
  // What crashes by itself is asked in vain too.
  if (hides !== 'probe' || probe === undefined || (ended === true && !probe.kills)) return trouble;
  const { kind, name, got } = probe;
  if (kind === 'liveness')
    return {
      ...told,
      reason: `container "${container}" fails its ${name}: ${got}`,
      patience: Math.min(patience, LIVENESS_PATIENCE),
      sinceStart: true,
      broken: true,
    };
  return { ...told, reason: `${reason}${ended === true ? '; ' : ': '}its ${name} fails: ${got}` };
}

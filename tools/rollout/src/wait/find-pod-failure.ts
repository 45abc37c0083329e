import { containerFailure, runsAgain, startTime } from './container-failure.ts';
import { READY_SECONDS, type PodFailure } from './pod-failure.ts';
import { isFinished, isReady, type Pod } from './pod.ts';

/** Seconds for states that may still resolve by themselves. */
const SCHEDULING_SECONDS = 45;
const ENDING_SECONDS = 60;

/** The scheduler's message about a pod that waits for its claims. */
const OF_CLAIMS = /persistentvolumeclaim|storageclass/i;

/**
 * The failure of a pod, worst container first; `undefined` if the pod is ready or has succeeded. A
 * terminating pod has its grace period.
 */
export function podFailure(pod: Pod): PodFailure | undefined {
  if (pod.metadata.deletionTimestamp !== undefined)
    return {
      pod,
      reason: 'it is still terminating',
      timeoutSeconds: (pod.spec.terminationGracePeriodSeconds ?? 30) + ENDING_SECONDS,
      broken: false,
    };
  if (isReady(pod) || pod.status?.phase === 'Succeeded') return undefined;
  const containers = [
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.containerStatuses ?? []),
  ];
  const found = containers
    .flatMap((status) => containerFailure(pod, status) ?? [])
    .sort((a, b) => a.timeoutSeconds - b.timeoutSeconds)[0];
  if (found !== undefined) return found;
  if (isFinished(pod))
    return {
      pod,
      reason: `it ended: ${[pod.status?.reason, pod.status?.message].filter(Boolean).join(': ') || 'no reason given'}`,
      timeoutSeconds: 0,
      broken: true,
    };
  const unscheduled = pod.status?.conditions?.find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  );
  if (unscheduled !== undefined)
    return {
      pod,
      reason: `no node can run it: ${unscheduled.message ?? unscheduled.reason ?? 'no reason given'}`,
      timeoutSeconds: SCHEDULING_SECONDS,
      broken: true,
      ...(OF_CLAIMS.test(unscheduled.message ?? '') ? { hides: 'claims' } : {}),
    };
  const unready = containers
    .filter(({ ready, state }) => !ready && state?.terminated === undefined)
    .sort((a, b) => b.restartCount - a.restartCount)[0];
  if (unready !== undefined) {
    const { waiting } = unready.state ?? {};
    const last = unready.lastState?.terminated;
    const hides = last?.reason === 'OOMKilled' ? {} : ({ hides: 'probe' } as const);
    const base = {
      pod,
      container: unready.name,
      timeoutSeconds: READY_SECONDS + startTime(pod, unready.name),
      broken: false,
      ...hides,
    };
    if (waiting === undefined && last !== undefined)
      return { ...base, ...runsAgain(pod, unready, last) };
    const how =
      waiting === undefined
        ? 'is running but not ready'
        : `is not running yet${waiting.reason === undefined ? '' : ` (${waiting.reason})`}`;
    return { ...base, reason: `container "${unready.name}" ${how}` };
  }
  if (containers.some(({ state }) => state?.terminated !== undefined)) return undefined;
  return {
    pod,
    reason:
      pod.spec.nodeName === undefined
        ? 'it has not been scheduled to a node yet'
        : `node ${pod.spec.nodeName} has not started it yet`,
    timeoutSeconds: READY_SECONDS,
    broken: false,
  };
}

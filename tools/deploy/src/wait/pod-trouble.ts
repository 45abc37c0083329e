import { counted } from '#core';
import { hasEnded, isReady, type ContainerStatus, type Pod, type Termination } from './pod.ts';

/**
 * Restarts of one container that are borne before its crashes are called a loop. Two kinds of run count once more, since the next is
 * like them: one that ended for want of memory, and one that was given all the time of its startup probe.
 */
const CRASH_BUDGET = 3;

/** What keeps one pod from being ready. `patience` is how many seconds it may stand so before it counts as failed. */
export interface PodTrouble {
  readonly pod: Pod;
  readonly container?: string;
  readonly exitCode?: number;
  /** Output to look at: of the run before, where the present one has none. */
  readonly previousRun?: boolean;
  /** Of a container that has used up its crash budget and runs just now: its restarts. One more, and it is a loop; it may also be mended. */
  readonly restarts?: number;
  /** What else may tell of its cause: kubelet's events of a probe, or the pod's claims. */
  readonly hides?: 'probe' | 'claims';
  /** Whether the container's last run has ended, be it that it runs again. */
  readonly ended?: true;
  /** Whether its patience counts from when the container had started, restarts or not. */
  readonly sinceStart?: true;
  /** A clause: `container "api" exits with 1 and was restarted 4 times`. */
  readonly reason: string;
  readonly patience: number;
  /** True where a container crashes or cannot start, or no node takes the pod; false where it may just need time. */
  readonly broken: boolean;
}

/** Seconds for what may still come right by itself. */
const IMAGE_PATIENCE = 25;
const CONFIG_PATIENCE = 20;
const SCHEDULING_PATIENCE = 45;
const READY_PATIENCE = 600;
const ENDING_PATIENCE = 60;

/** The scheduler's words of a pod that waits for its claims. */
const OF_CLAIMS = /persistentvolumeclaim|storageclass/i;

const IMAGE_REASONS = new Set(['ErrImagePull', 'ImagePullBackOff', 'ErrImageNeverPull', 'RegistryUnavailable', 'ImageInspectError']);
const CONFIG_REASONS = new Set(['CreateContainerConfigError', 'CreateContainerError', 'RunContainerError']);

/** The trouble of a pod, worst container first; `undefined` for one that is ready or has ended well. One that is ending may take its grace. */
export function podTrouble(pod: Pod): PodTrouble | undefined {
  if (pod.metadata.deletionTimestamp !== undefined)
    return { pod, reason: 'it is still ending', patience: (pod.spec.terminationGracePeriodSeconds ?? 30) + ENDING_PATIENCE, broken: false };
  if (isReady(pod) || pod.status?.phase === 'Succeeded') return undefined;
  const containers = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const found = containers.flatMap((status) => containerTrouble(pod, status) ?? []).sort((a, b) => a.patience - b.patience)[0];
  if (found !== undefined) return found;
  if (hasEnded(pod))
    return { pod, reason: `it ended: ${[pod.status?.reason, pod.status?.message].filter(Boolean).join(': ') || 'no reason given'}`, patience: 0, broken: true };
  const unscheduled = pod.status?.conditions?.find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  if (unscheduled !== undefined)
    return {
      pod,
      reason: `no node takes it: ${unscheduled.message ?? unscheduled.reason ?? 'no reason given'}`,
      patience: SCHEDULING_PATIENCE,
      broken: true,
      ...(OF_CLAIMS.test(unscheduled.message ?? '') ? { hides: 'claims' } : {}),
    };
  const unready = containers.filter(({ ready, state }) => !ready && state?.terminated === undefined).sort((a, b) => b.restartCount - a.restartCount)[0];
  if (unready !== undefined) {
    const { waiting } = unready.state ?? {};
    const last = unready.lastState?.terminated;
    const hides = last?.reason === 'OOMKilled' ? {} : ({ hides: 'probe' } as const);
    const base = { pod, container: unready.name, patience: READY_PATIENCE + startTime(pod, unready.name), broken: false, ...hides };
    if (waiting === undefined && last !== undefined) return { ...base, ...runsAgain(pod, unready, last) };
    const how = waiting === undefined ? 'runs and is not ready' : `does not run yet${waiting.reason === undefined ? '' : ` (${waiting.reason})`}`;
    return { ...base, reason: `container "${unready.name}" ${how}` };
  }
  if (containers.some(({ state }) => state?.terminated !== undefined)) return undefined;
  return {
    pod,
    reason: pod.spec.nodeName === undefined ? 'it has no node yet' : `node ${pod.spec.nodeName} has not started it yet`,
    patience: READY_PATIENCE,
    broken: false,
  };
}

function containerTrouble(pod: Pod, { name, restartCount, state, lastState }: ContainerStatus): PodTrouble | undefined {
  const { waiting, terminated } = state ?? {};
  const container = { pod, container: name };
  if (terminated !== undefined && terminated.exitCode !== 0) {
    return {
      ...container,
      exitCode: terminated.exitCode,
      reason: `container "${name}" ${exitText(terminated)}`,
      patience: hasEnded(pod) || crashes(pod, name, restartCount, lastState?.terminated) >= CRASH_BUDGET ? 0 : READY_PATIENCE,
      broken: true,
      ended: true,
      ...(terminated.reason === 'OOMKilled' ? {} : { hides: 'probe' }),
    };
  }
  if (waiting === undefined) return undefined;
  const reason = waiting.reason ?? '';
  const told = waiting.message === undefined ? '' : `: ${waiting.message}`;
  if (reason === 'CrashLoopBackOff') {
    const last = lastState?.terminated;
    const how = last === undefined ? 'crashes' : exitText(last);
    const exitCode = last === undefined ? {} : { exitCode: last.exitCode };
    return {
      ...container,
      ...exitCode,
      previousRun: true,
      reason: `container "${name}" ${how}, restarted ${counted(restartCount, 'time')}`,
      patience: crashes(pod, name, restartCount, last) >= CRASH_BUDGET ? 0 : READY_PATIENCE,
      broken: true,
      ended: true,
      ...(last?.reason === 'OOMKilled' ? {} : { hides: 'probe' }),
    };
  }
  if (reason === 'InvalidImageName') return { ...container, reason: `container "${name}" has an invalid image name${told}`, patience: 0, broken: true };
  if (IMAGE_REASONS.has(reason))
    return {
      ...container,
      reason: `the image of container "${name}" cannot be pulled (${pullCause(reason, waiting.message)})`,
      patience: IMAGE_PATIENCE,
      broken: true,
    };
  if (CONFIG_REASONS.has(reason))
    return { ...container, reason: `container "${name}" cannot be made (${reason}${told})`, patience: CONFIG_PATIENCE, broken: true };
  return undefined;
}

/** What is told of a container that ended before, and runs now without being ready. */
function runsAgain(
  pod: Pod,
  { name, restartCount }: ContainerStatus,
  last: Termination,
): Pick<PodTrouble, 'exitCode' | 'previousRun' | 'reason' | 'restarts' | 'ended'> {
  const ran = secondsOf(last);
  const reason = `container "${name}" ${exitText(last)}${ran === undefined ? '' : ` after ${ran} s`}, restarted ${counted(restartCount, 'time')}, and runs again without being ready`;
  return {
    exitCode: last.exitCode,
    previousRun: true,
    ended: true,
    reason,
    ...(crashes(pod, name, restartCount, last) >= CRASH_BUDGET ? { restarts: restartCount } : {}),
  };
}

/** How much of its crash budget a container has used. */
function crashes(pod: Pod, name: string, restartCount: number, last: Termination | undefined): number {
  if (restartCount === 0 || last === undefined) return restartCount;
  const given = startTime(pod, name);
  const spent = given > 0 && (secondsOf(last) ?? 0) >= given;
  return restartCount + (last.reason === 'OOMKilled' ? 1 : 0) + (spent ? 1 : 0);
}

/** How long a run took. */
function secondsOf({ startedAt, finishedAt }: Termination): number | undefined {
  return startedAt === undefined || finishedAt === undefined ? undefined : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
}

/**
 * Why an image cannot be pulled, in the same words while it is tried and while the next try is waited for: kubelet (1.32 to 1.36)
 * prefixes the error then. The runtime names the image three times, so its way to the error is cut, and digests.
 */
function pullCause(reason: string, message: string | undefined): string {
  const cause = (message ?? '')
    .replace(/^Back-off pulling image "[^"]*"(: ErrImagePull)?(: )?/, '')
    .replace(/^rpc error: code = \w+ desc = /, '')
    .replace(/^failed to pull and unpack image "[^"]*": /, '')
    .replaceAll(/(sha256:[0-9a-f]{12})[0-9a-f]{52}/g, '$1');
  return cause === '' ? reason : cause;
}

/** Seconds that a startup probe gives a container. */
function startTime({ spec }: Pod, name: string): number {
  const probe = spec.containers?.find((container) => container.name === name)?.startupProbe;
  if (probe === undefined) return 0;
  const { initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3 } = probe;
  return initialDelaySeconds + periodSeconds * failureThreshold;
}

function exitText({ exitCode, signal, reason, message }: Termination): string {
  const why = [reason === 'Error' ? undefined : reason, message].filter((part) => part !== undefined && part !== '').join(': ');
  return `exits with ${exitCode}${signal === undefined ? '' : ` (signal ${signal})`}${why === '' ? '' : ` (${why})`}`;
}

import { counted } from '#core';
import { isFinished, isReady, type ContainerStatus, type Pod, type Termination } from './pod.ts';

/**
 * Restarts of one container before its crashes are a loop. Two kinds of run count twice, since the
 * next run will be the same: one that ran out of memory, and one that used the whole time of its
 * startup probe.
 */
const CRASH_BUDGET = 3;
/**
 * Seconds after its first crash in which a container that ends at once has failed even within its
 * budget: on a busy machine each run takes longer.
 */
export const CRASH_SECONDS = 45;
/** Maximum seconds of a run that ends at once; services read their whole configuration in it. */
const SHORT_RUN = 30;

/**
 * Why one pod is not ready. `timeoutSeconds` is how long the state can last before the pod has
 * failed.
 */
export interface PodFailure {
  readonly pod: Pod;
  readonly container?: string;
  readonly exitCode?: number;
  /** Whether the output of the previous run is the relevant one. */
  readonly previousRun?: boolean;
  /**
   * Restarts of a container that has used up its crash budget and is running now. One more restart
   * is a loop; the container may also have been fixed.
   */
  readonly restarts?: number;
  /** Where the cause may be found: kubelet's events of a probe, or the pod's claims. */
  readonly hides?: 'probe' | 'claims';
  /** Whether the container's last run has ended, even if it runs again. */
  readonly ended?: true;
  /** Whether that run was short. */
  readonly short?: true;
  /** Whether the timeout starts when the container has started, restarts included. */
  readonly sinceStart?: true;
  /** Whether the timeout starts with the container's first crash after a short run. */
  readonly sinceCrash?: true;
  /** A clause: `container "api" exited with code 1 and was restarted 4 times`. */
  readonly reason: string;
  readonly timeoutSeconds: number;
  /**
   * True if a container crashes or cannot start, or no node can run the pod; false if it may only
   * need time.
   */
  readonly broken: boolean;
}

/** Seconds for states that may still resolve by themselves. */
const IMAGE_SECONDS = 25;
const CONFIG_SECONDS = 20;
const SCHEDULING_SECONDS = 45;
const READY_SECONDS = 600;
const ENDING_SECONDS = 60;

/** The scheduler's message about a pod that waits for its claims. */
const OF_CLAIMS = /persistentvolumeclaim|storageclass/i;

const IMAGE_REASONS = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'RegistryUnavailable',
  'ImageInspectError',
]);
const CONFIG_REASONS = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
]);

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

function containerFailure(
  pod: Pod,
  { name, restartCount, state, lastState }: ContainerStatus,
): PodFailure | undefined {
  const { waiting, terminated } = state ?? {};
  const container = { pod, container: name };
  if (terminated !== undefined && terminated.exitCode !== 0) {
    return {
      ...container,
      exitCode: terminated.exitCode,
      reason: `container "${name}" ${exitText(terminated)}`,
      ...(isFinished(pod)
        ? { timeoutSeconds: 0, ...(isShort(terminated) ? { sinceCrash: true } : {}) }
        : crashTimeout(pod, name, restartCount, lastState?.terminated, terminated)),
      broken: true,
      ...endedRun(terminated),
      ...(terminated.reason === 'OOMKilled' ? {} : { hides: 'probe' }),
    };
  }
  if (waiting === undefined) return undefined;
  const reason = waiting.reason ?? '';
  const detail = waiting.message === undefined ? '' : `: ${waiting.message}`;
  if (reason === 'CrashLoopBackOff') {
    const last = lastState?.terminated;
    const how = last === undefined ? 'crashes' : exitText(last);
    const exitCode = last === undefined ? {} : { exitCode: last.exitCode };
    return {
      ...container,
      ...exitCode,
      previousRun: true,
      reason: `container "${name}" ${how}, restarted ${counted(restartCount, 'time')}`,
      ...crashTimeout(pod, name, restartCount, last),
      broken: true,
      ...endedRun(last),
      ...(last?.reason === 'OOMKilled' ? {} : { hides: 'probe' }),
    };
  }
  if (reason === 'InvalidImageName')
    return {
      ...container,
      reason: `container "${name}" has an invalid image name${detail}`,
      timeoutSeconds: 0,
      broken: true,
    };
  if (IMAGE_REASONS.has(reason))
    return {
      ...container,
      reason: `the image of container "${name}" cannot be pulled (${pullCause(reason, waiting.message)})`,
      timeoutSeconds: IMAGE_SECONDS,
      broken: true,
    };
  if (CONFIG_REASONS.has(reason))
    return {
      ...container,
      reason: `container "${name}" cannot be created (${reason}${detail})`,
      timeoutSeconds: CONFIG_SECONDS,
      broken: true,
    };
  return undefined;
}

/** The failure of a container that ended before and is running now but not ready. */
function runsAgain(
  pod: Pod,
  { name, restartCount }: ContainerStatus,
  last: Termination,
): Pick<PodFailure, 'exitCode' | 'previousRun' | 'reason' | 'restarts' | 'ended' | 'short'> {
  const ran = secondsOf(last);
  const reason = `container "${name}" ${exitText(last)}${ran === undefined ? '' : ` after ${ran} s`}, restarted ${counted(restartCount, 'time')}, is running again but not ready`;
  return {
    exitCode: last.exitCode,
    previousRun: true,
    ...endedRun(last),
    reason,
    ...(crashes(pod, name, restartCount, last) >= CRASH_BUDGET ? { restarts: restartCount } : {}),
  };
}

/**
 * The timeout of a container that has crashed: none beyond its budget. `ended` is its newest run.
 */
function crashTimeout(
  pod: Pod,
  name: string,
  restartCount: number,
  last: Termination | undefined,
  ended = last,
): Pick<PodFailure, 'timeoutSeconds' | 'sinceCrash'> {
  if (crashes(pod, name, restartCount, last) >= CRASH_BUDGET) return { timeoutSeconds: 0 };
  return restartCount > 0 && isShort(last) && isShort(ended)
    ? { timeoutSeconds: CRASH_SECONDS, sinceCrash: true }
    : { timeoutSeconds: READY_SECONDS };
}

function isShort(run: Termination | undefined): boolean {
  return run !== undefined && (secondsOf(run) ?? Infinity) <= SHORT_RUN;
}

function endedRun(run: Termination | undefined): Pick<PodFailure, 'ended' | 'short'> {
  return { ended: true, ...(isShort(run) ? { short: true } : {}) };
}

/** The part of its crash budget that a container has used. */
function crashes(
  pod: Pod,
  name: string,
  restartCount: number,
  last: Termination | undefined,
): number {
  if (restartCount === 0 || last === undefined) return restartCount;
  const given = startTime(pod, name);
  const spent = given > 0 && (secondsOf(last) ?? 0) >= given;
  return restartCount + (last.reason === 'OOMKilled' ? 1 : 0) + (spent ? 1 : 0);
}

/** The duration of a run in seconds. */
function secondsOf({ startedAt, finishedAt }: Termination): number | undefined {
  return startedAt === undefined || finishedAt === undefined
    ? undefined
    : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000;
}

/**
 * Why an image cannot be pulled, with the same text during a try and during back-off: kubelet (1.32
 * to 1.36) adds a prefix then. The runtime names the image three times, so its prefixes and the
 * digests are shortened.
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
  const why = [reason === 'Error' ? undefined : reason, message]
    .filter((part) => part !== undefined && part !== '')
    .join(': ');
  return `exited with code ${exitCode}${signal === undefined ? '' : ` (signal ${signal})`}${why === '' ? '' : ` (${why})`}`;
}

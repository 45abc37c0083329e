import { counted } from '#core';
import { READY_SECONDS, type PodFailure } from './pod-failure.ts';
import { isFinished, type ContainerStatus, type Pod, type Termination } from './pod.ts';

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

/** Seconds for states that may still resolve by themselves. */
const IMAGE_SECONDS = 25;
const CONFIG_SECONDS = 20;

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

/** The failure of a container that ended or cannot start. */
export function containerFailure(
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
export function runsAgain(
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
export function startTime({ spec }: Pod, name: string): number {
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

import type { Clock, Cluster } from '#ports';
import { podCause, withCause, type PodCause } from './pod-cause.ts';
import { podFailure } from './find-pod-failure.ts';
import type { PodFailure } from './pod-failure.ts';
import { hasStarted, type Pod } from './pod.ts';

/** Milliseconds before the cause of a failure is read, and between two reads. */
const ASK = 10_000;
/** Maximum pods of one workload whose causes are read: the others' causes will be the same. */
const MOST = 3;

/** The pod failures of one object over time. */
export interface PodFailureWatch {
  /** Current failures with their causes, worst first. */
  look(pods: readonly Pod[]): Promise<readonly PodFailure[]>;
  /** Whether a failure has reached its timeout. */
  isOverdue(failure: PodFailure): boolean;
}

/** Starts without failures. */
export function watchPodFailures(cluster: Cluster, clock: Clock): PodFailureWatch {
  const since = new Map<string, number>();
  const started = new Map<string, number>();
  const crashed = new Map<string, number>();
  const causes = new Map<
    string,
    { readonly at: number; readonly ended: boolean; readonly cause: PodCause }
  >();
  const seen = (failure: PodFailure): number => {
    const key = `${containerOf(failure)}/${failure.timeoutSeconds}`;
    const at = since.get(key) ?? clock.now();
    since.set(key, at);
    return at;
  };
  const explained = async (failure: PodFailure, mayAsk: boolean): Promise<PodFailure> => {
    if (failure.hides === undefined) return failure;
    const key = containerOf(failure);
    const ended = failure.ended === true;
    const last = causes.get(key) ?? { at: seen(failure), ended: false, cause: {} };
    // The cause of an ended run is read immediately: the earlier answer does not include it.
    if (!mayAsk || (last.ended === ended && clock.now() - last.at < ASK))
      return withCause(failure, last.cause);
    const cause = await podCause(cluster, failure);
    causes.set(key, { at: clock.now(), ended, cause });
    return withCause(failure, cause);
  };
  return {
    look: async (pods) => {
      const found = pods
        .flatMap((pod) => podFailure(pod) ?? [])
        .sort((a, b) => a.timeoutSeconds - b.timeoutSeconds);
      const keys = new Set(found.map(containerOf));
      for (const times of [started, crashed])
        for (const key of times.keys()) if (!keys.has(key)) times.delete(key);
      for (const failure of found) {
        const key = containerOf(failure);
        if (failure.ended === true && failure.short !== true) crashed.delete(key);
        else if (failure.short === true && !crashed.has(key)) crashed.set(key, clock.now());
        if (
          !started.has(key) &&
          failure.container !== undefined &&
          hasStarted(failure.pod, failure.container)
        )
          started.set(key, clock.now());
      }
      return (
        await Promise.all(found.map((failure, index) => explained(failure, index < MOST)))
      ).sort((a, b) => a.timeoutSeconds - b.timeoutSeconds);
    },
    isOverdue: (failure) => {
      const key = containerOf(failure);
      const from =
        failure.sinceStart === true
          ? started.get(key)
          : failure.sinceCrash === true
            ? crashed.get(key)
            : undefined;
      return clock.now() - (from ?? seen(failure)) >= failure.timeoutSeconds * 1000;
    },
  };
}

/** A key for one container of one pod. */
export function containerOf({ pod, container = '' }: PodFailure): string {
  return `${pod.metadata.uid}/${container}`;
}

import type { Cluster } from '#ports';
import type { Clock } from '../apply/clock.ts';
import { podCause, withCause, type PodCause } from './pod-cause.ts';
import { hasStarted, type Pod } from './pod.ts';
import { podTrouble, type PodTrouble } from './pod-trouble.ts';

/** Milliseconds that a trouble stands before its cause is asked for, and between two questions. */
const ASK = 10_000;
/** Pods of one workload whose causes are asked for: the others' will be the same. */
const MOST = 3;

/** What keeps the pods of one object from being ready, over time. */
export interface TroubleWatch {
  /** Troubles now, with their causes, worst first. */
  look(pods: readonly Pod[]): Promise<readonly PodTrouble[]>;
  /** Whether one of them has stood for as long as it may. */
  isOverdue(trouble: PodTrouble): boolean;
}

/** Nothing seen yet. */
export function watchTroubles(cluster: Cluster, clock: Clock): TroubleWatch {
  const since = new Map<string, number>();
  const started = new Map<string, number>();
  const causes = new Map<string, { readonly at: number; readonly ended: boolean; readonly cause: PodCause }>();
  const seen = (trouble: PodTrouble): number => {
    const key = `${containerOf(trouble)}/${trouble.patience}`;
    const at = since.get(key) ?? clock.now();
    since.set(key, at);
    return at;
  };
  const explained = async (trouble: PodTrouble, mayAsk: boolean): Promise<PodTrouble> => {
    if (trouble.hides === undefined) return trouble;
    const key = containerOf(trouble);
    const ended = trouble.ended === true;
    const last = causes.get(key) ?? { at: seen(trouble), ended: false, cause: {} };
    // Why a run has ended is told at once: what was asked before knows nothing of it.
    if (!mayAsk || (last.ended === ended && clock.now() - last.at < ASK)) return withCause(trouble, last.cause);
    const cause = await podCause(cluster, trouble);
    causes.set(key, { at: clock.now(), ended, cause });
    return withCause(trouble, cause);
  };
  return {
    look: async (pods) => {
      const found = pods.flatMap((pod) => podTrouble(pod) ?? []).sort((a, b) => a.patience - b.patience);
      const keys = new Set(found.map(containerOf));
      for (const key of started.keys()) if (!keys.has(key)) started.delete(key);
      for (const trouble of found) {
        const key = containerOf(trouble);
        if (!started.has(key) && trouble.container !== undefined && hasStarted(trouble.pod, trouble.container)) started.set(key, clock.now());
      }
      return (await Promise.all(found.map((trouble, index) => explained(trouble, index < MOST)))).sort((a, b) => a.patience - b.patience);
    },
    isOverdue: (trouble) => {
      const from = trouble.sinceStart === true ? started.get(containerOf(trouble)) : undefined;
      return clock.now() - (from ?? seen(trouble)) >= trouble.patience * 1000;
    },
  };
}

/** Tells one container of one pod from all others. */
export function containerOf({ pod, container = '' }: PodTrouble): string {
  return `${pod.metadata.uid}/${container}`;
}

import type { Cluster, LiveObject } from '#ports';
import type { Clock } from '../apply/clock.ts';
import { keyOf, refOf } from '../live/object-key.ts';
import { assess } from './assess.ts';
import { progressing, type Assessment } from './assessment.ts';
import { describeFailure, plainFailure, type StepFailure } from './failure.ts';
import { hasEnded } from './pod.ts';
import { podTrouble, type PodTrouble } from './pod-trouble.ts';
import type { SiteWatch } from './site-watch.ts';
import { stuckPods } from './stuck-pods.ts';
import { troubleText } from './trouble-text.ts';
import { containerOf, watchTroubles } from './trouble-watch.ts';

/** Milliseconds between looks where nothing changes, and at least where much does. */
const LOOK = 2000;
const SOONEST = 200;
/** Milliseconds between two words about progress, and until one that was told is told again: states that come and go are told once. */
const TELL = 2000;
const AGAIN = 60_000;
/** Milliseconds in which something must move where no pod has a trouble of its own: the controllers' time. */
const CONTROLLER_PATIENCE = 45_000;
/** Of kinds for which something outside the cluster is asked: a load balancer, an authority that looks at a host. */
const OUTSIDE_PATIENCE: Readonly<Record<string, number>> = { Certificate: 600_000, Gateway: 600_000 };

export interface WaitOptions {
  readonly cluster: Cluster;
  readonly watch: SiteWatch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly progress: (reason: string) => void;
  /** Deletes a stuck pod; absent where nothing may be written. */
  readonly unstick?: (pod: LiveObject) => Promise<void>;
}

/** `undefined` when the object is done; else why not. Ends early with `cancelled` where the signal aborts. */
export async function waitFor(
  wanted: LiveObject,
  { cluster, watch, clock, signal, progress, unstick }: WaitOptions,
): Promise<StepFailure | 'cancelled' | undefined> {
  const key = keyOf(wanted);
  const standing = watchTroubles(cluster, clock);
  const unstuck = new Set<string>();
  let restarts: ReadonlyMap<string, number> | undefined;
  let moved = { text: '', at: clock.now() };
  const patience = OUTSIDE_PATIENCE[wanted.kind] ?? CONTROLLER_PATIENCE;
  const start = clock.now();
  const told = new Map<string, number>();
  let last = { word: '', at: -Infinity };
  for (;;) {
    if (signal.aborted) return 'cancelled';
    const looked = clock.now();
    const live = watch.object(key);
    const seen = live !== undefined && isNow(live, wanted);
    const state: Assessment = seen ? assess(live) : progressing('the cluster does not show it yet');
    if (state.state === 'done') return undefined;
    const pods = seen && isObserved(live) ? watch.podsOf(live) : [];
    const troubles = await standing.look(pods);
    const [worst] = troubles;
    if (seen && state.state === 'failed') return describeFailure(cluster, live, state, worst);
    if (seen && isObserved(live)) restarts ??= new Map(troubles.map((trouble) => [containerOf(trouble), trouble.restarts ?? 0]));
    // What crashed before it was waited for may have been mended since: it counts once it has crashed again.
    const crashed = troubles.find((trouble) => trouble.restarts !== undefined && trouble.restarts > (restarts?.get(containerOf(trouble)) ?? 0));
    const fatal = crashed ?? troubles.find(standing.isOverdue);
    if (seen && fatal !== undefined && !isRetried(live, fatal)) return describeFailure(cluster, live, state, fatal);
    const text = [state.reason, ...troubles.map(({ pod, reason }) => `pod ${pod.metadata.name}: ${reason}`)].join('; ');
    if (text !== moved.text) moved = { text, at: looked };
    const word = troubleText(state, worst);
    if (word !== last.word && looked - last.at >= TELL && (seen || looked - start >= TELL)) {
      last = { word, at: looked };
      if (looked - (told.get(word) ?? -Infinity) >= AGAIN) progress(word);
      told.set(word, looked);
    }
    const old = seen ? watch.podsOf(live, 'all') : [];
    const ending = old.some((pod) => pod.metadata.deletionTimestamp !== undefined);
    if (seen && live.kind === 'StatefulSet' && unstick !== undefined) {
      for (const pod of stuckPods(live, old).filter(({ metadata }) => !unstuck.has(metadata.uid))) {
        unstuck.add(pod.metadata.uid);
        await unstick(pod);
      }
    }
    if (worst === undefined && !ending && !isRunning(live) && clock.now() - moved.at >= patience) {
      const reason = `nothing has moved for ${patience / 1000} s: ${state.reason}`;
      if (live === undefined) return plainFailure(key, (await cluster.get(refOf(wanted))) === undefined ? 'was deleted by someone else' : reason);
      return describeFailure(cluster, live, progressing(reason), old.flatMap((pod) => podTrouble(pod) ?? [])[0]);
    }
    await watch.change(LOOK, signal);
    if (clock.now() - looked < SOONEST) await clock.sleep(SOONEST - (clock.now() - looked), signal);
  }
}

/** Whether what the watch shows is the object that was written, or a later form of it. */
function isNow(live: LiveObject, wanted: LiveObject): boolean {
  return live.metadata.uid === wanted.metadata.uid && (live.metadata.generation ?? 0) >= (wanted.metadata.generation ?? 0);
}

/** Whether its controller has seen what is asked for now: before that, its status and pods are those of the form before. */
function isObserved({ metadata, status }: LiveObject): boolean {
  const { observedGeneration } = (status ?? {}) as { observedGeneration?: number };
  return observedGeneration === undefined || observedGeneration >= (metadata.generation ?? 0);
}

/** A Job makes a new pod for one that failed; how often is judged by the Job's own count. */
function isRetried(live: LiveObject, { pod }: PodTrouble): boolean {
  return live.kind === 'Job' && hasEnded(pod);
}

/** A Job may take the time it was given once its pod runs. */
function isRunning(live: LiveObject | undefined): boolean {
  return live?.kind === 'Job' && ((live['status'] as { active?: number } | undefined)?.active ?? 0) > 0;
}

import { asKind, type Clock, type Cluster, type LiveObject } from '#ports';
import { keyOf, refOf, type Home } from '#site';
import { plainFailure, type StepFailure } from '../session/step-failure.ts';
import { assess } from './assess.ts';
import { progressing, type Assessment } from './assessment.ts';
import { describeFailure } from './failure.ts';
import { CRASH_SECONDS } from './container-failure.ts';
import { podFailure } from './find-pod-failure.ts';
import type { PodFailure } from './pod-failure.ts';
import { isFinished } from './pod.ts';
import type { SiteWatch } from './site-watch.ts';
import { stuckPods } from './stuck-pods.ts';
import { failureText } from './failure-text.ts';
import { containerOf, watchPodFailures } from './pod-failure-watch.ts';

/** Milliseconds between checks without changes, and at least between any two. */
const CHECK = 2000;
const SOONEST = 200;
/** Milliseconds between two progress reports, and before the same text is reported again. */
const REPORT = 2000;
const AGAIN = 60_000;
/**
 * Milliseconds without any change until a wait fails although no pod has failed: the controllers'
 * time.
 */
const CONTROLLER_MS = 45_000;
/**
 * The same for kinds that depend on a service outside the cluster: a load balancer, a certificate
 * authority.
 */
const OUTSIDE_MS: Readonly<Record<string, number>> = {
  Certificate: 600_000,
  Gateway: 600_000,
};

export interface WaitOptions {
  readonly cluster: Cluster;
  /** The site, which keys depend on. */
  readonly home: Home;
  readonly watch: SiteWatch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly progress: (reason: string) => void;
  /** Deletes a stuck pod; absent in read-only runs. */
  readonly unstick?: (pod: LiveObject) => Promise<void>;
}

/**
 * Waits for an object: `undefined` when it is done, otherwise its failure, or `cancelled` if the
 * signal aborts.
 */
export async function waitFor(
  wanted: LiveObject,
  { cluster, home, watch, clock, signal, progress, unstick }: WaitOptions,
): Promise<StepFailure | 'cancelled' | undefined> {
  const key = keyOf(wanted, home);
  const failures = watchPodFailures(cluster, clock);
  const unstuck = new Set<string>();
  let restarts: ReadonlyMap<string, number> | undefined;
  let firstFailed: number | undefined;
  let moved = { text: '', at: clock.now() };
  const timeout = OUTSIDE_MS[wanted.kind] ?? CONTROLLER_MS;
  const report = progressReports(clock.now(), progress);
  for (;;) {
    if (signal.aborted) return 'cancelled';
    const looked = clock.now();
    const live = watch.object(key);
    const seen = live !== undefined && isNow(live, wanted);
    const state: Assessment = seen ? assess(live) : progressing('the cluster does not show it yet');
    if (state.state === 'done') return undefined;
    const pods = seen && isObserved(live) ? watch.podsOf(live) : [];
    const podFailures = await failures.look(pods);
    const [worst] = podFailures;
    if (seen && state.state === 'failed') return describeFailure(cluster, home, live, state, worst);
    if (seen && isObserved(live))
      restarts ??= new Map(
        podFailures.map((failure) => [containerOf(failure), failure.restarts ?? 0]),
      );
    // A container that crashed before the wait may have been fixed: only a new crash is a failure.
    const crashed = podFailures.find(
      (failure) =>
        failure.restarts !== undefined &&
        failure.restarts > (restarts?.get(containerOf(failure)) ?? 0),
    );
    const fatal = crashed ?? podFailures.find(failures.isOverdue);
    if (seen && fatal !== undefined && !isRetried(live, fatal))
      return describeFailure(cluster, home, live, state, fatal);
    if (failedPods(live) > 0) firstFailed ??= looked;
    if (
      seen &&
      failedPods(live) > 1 &&
      looked - firstFailed! >= CRASH_SECONDS * 1000 &&
      worst?.sinceCrash === true
    )
      return describeFailure(cluster, home, live, state, worst);
    const text = [
      state.reason,
      ...podFailures.map(({ pod, reason }) => `pod ${pod.metadata.name}: ${reason}`),
    ].join('; ');
    if (text !== moved.text) moved = { text, at: looked };
    report(failureText(state, worst), looked, seen);
    const old = seen ? watch.podsOf(live, 'all') : [];
    const ending = old.some((pod) => pod.metadata.deletionTimestamp !== undefined);
    if (seen && live.kind === 'StatefulSet' && unstick !== undefined) {
      for (const pod of stuckPods(live, old).filter(({ metadata }) => !unstuck.has(metadata.uid))) {
        unstuck.add(pod.metadata.uid);
        await unstick(pod);
      }
    }
    if (worst === undefined && !ending && !isRunning(live) && clock.now() - moved.at >= timeout) {
      const reason = `no progress for ${timeout / 1000} s: ${state.reason}`;
      if (live === undefined)
        return plainFailure(
          key,
          (await cluster.get(refOf(wanted))) === undefined ? 'was deleted by someone else' : reason,
        );
      return describeFailure(
        cluster,
        home,
        live,
        progressing(reason),
        old.flatMap((pod) => podFailure(pod) ?? [])[0],
      );
    }
    await watch.change(CHECK, signal);
    if (clock.now() - looked < SOONEST) await clock.sleep(SOONEST - (clock.now() - looked), signal);
  }
}

/**
 * Reports changed texts, none too soon after another one. Until the cluster shows the object, it
 * gets a moment before the first report.
 */
function progressReports(
  start: number,
  progress: WaitOptions['progress'],
): (text: string, now: number, seen: boolean) => void {
  const shownAt = new Map<string, number>();
  let last = { text: '', at: -Infinity };
  return (text, now, seen) => {
    if (text === last.text || now - last.at < REPORT || (!seen && now - start < REPORT)) return;
    last = { text, at: now };
    if (now - (shownAt.get(text) ?? -Infinity) >= AGAIN) progress(text);
    shownAt.set(text, now);
  };
}

/** Whether the watched object is the written one or a later generation of it. */
function isNow(live: LiveObject, wanted: LiveObject): boolean {
  return (
    live.metadata.uid === wanted.metadata.uid &&
    (live.metadata.generation ?? 0) >= (wanted.metadata.generation ?? 0)
  );
}

/**
 * Whether its controller has observed the current spec: before that, status and pods are of the
 * previous one.
 */
function isObserved({ metadata, status }: LiveObject): boolean {
  const { observedGeneration } = (status ?? {}) as { observedGeneration?: number };
  return observedGeneration === undefined || observedGeneration >= (metadata.generation ?? 0);
}

/** A Job creates a new pod for a failed one; its own count limits that. */
function isRetried(live: LiveObject, { pod }: PodFailure): boolean {
  return live.kind === 'Job' && isFinished(pod);
}

/** The number of pods of a Job that have failed. */
function failedPods(live: LiveObject | undefined): number {
  return live?.kind === 'Job' ? (asKind('Job', live).status?.failed ?? 0) : 0;
}

/** A Job with a running pod can use its whole deadline. */
function isRunning(live: LiveObject | undefined): boolean {
  return live?.kind === 'Job' && (asKind('Job', live).status?.active ?? 0) > 0;
}

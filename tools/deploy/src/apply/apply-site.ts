import type { Cluster, LiveObject } from '#ports';
import type { SiteName } from '../live/read-live.ts';
import { exposeKindsOf, FIELD_MANAGER } from '../live/site-kinds.ts';
import { approvedRules } from '../plan/additions.ts';
import { checkApproved, checkPlan } from '../plan/check-plan.ts';
import { makePlan, type PlanChoices } from '../plan/make-plan.ts';
import type { DeployPlan } from '../plan/types.ts';
import type { RenderedSite } from '../types.ts';
import { lookAtSite } from '../status/look-at-site.ts';
import { assess } from '../wait/assess.ts';
import { watchSite, type SiteWatch } from '../wait/site-watch.ts';
import { applyPlan, type DeployResult } from './apply-plan.ts';
import type { Clock } from './clock.ts';
import type { Emit } from './events.ts';
import { guardedCluster } from './guarded-cluster.ts';
import { takeLock, type LockOptions, type MarkedProcess } from './lock.ts';

export interface ApplyOptions extends PlanChoices {
  /** Who runs it: `user@host`. */
  readonly by: string;
  /** Different for every run. */
  readonly run: string;
  /** For the lock; without it, one of a run that was killed is waited for. */
  readonly process?: MarkedProcess;
  readonly clock: Clock;
  readonly emit: Emit;
  readonly signal?: AbortSignal;
  /** Steps at the same time. */
  readonly jobs?: number;
  /** A plan that was looked at: nothing else is done. */
  readonly approved?: DeployPlan;
  /** Called once nothing refuses the run any more, before it writes, or finds that nothing is to be written. */
  readonly onReady?: () => void;
}

/**
 * Makes the cluster hold a rendered site. Where it does already, nothing is written and no lock taken: the workloads are only
 * looked at. Else all is done under the site's lock, from a plan that is made under it. Raises what `makePlan`, `checkPlan`,
 * `checkApproved`, `takeLock` and its lock raise; what fails later is in the result.
 */
export async function applySite(cluster: Cluster, site: SiteName, rendered: RenderedSite, options: ApplyOptions): Promise<DeployResult> {
  const { approved, clock, emit } = options;
  const ready = async (): Promise<DeployPlan> => {
    const rules = [...(options.rules ?? []), ...(approved === undefined ? [] : approvedRules(approved))];
    const plan = await makePlan(cluster, site, rendered, { ...options, rules });
    // What is out of date is said first: conflicts that came since are part of it.
    if (approved !== undefined) checkApproved(approved, plan);
    checkPlan(plan);
    return plan;
  };
  const first = await ready();
  const given = options.signal ?? new AbortController().signal;
  if (!first.work) {
    options.onReady?.();
    const looking = guardedCluster(cluster, () => {
      throw new Error('a site that is as it should be must not be written to');
    });
    const look = (watch: SiteWatch): Promise<DeployResult> =>
      applyPlan(first, { cluster: looking, site, clock, emit, signal: given, watch, writes: false }, options);
    const seen = await lookAtSite(looking, site.namespace, exposeKindsOf(rendered));
    // Nothing will be waited for, and watches cost more than the look that they begin with.
    if (isWell(first, seen)) return await look({ ...seen, change: async () => undefined, close: async () => undefined });
    return await watched(looking, site, clock, rendered, look);
  }
  const namespace = first.objects.find(({ desired }) => desired.kind === 'Namespace');
  if (namespace?.action === 'create') {
    await cluster.apply(namespace.desired, { fieldManager: FIELD_MANAGER });
    emit({ type: 'written', key: namespace.key, action: 'create' });
  }
  const lock = await takeLock(cluster, site, { ...lockOptions(options), signal: given });
  try {
    const signal = AbortSignal.any([given, lock.signal]);
    const guarded = guardedCluster(cluster, () => lock.assertHeld());
    const plan = await ready();
    options.onReady?.();
    const result = await watched(guarded, site, clock, rendered, (watch) =>
      applyPlan(plan, { cluster: guarded, site, clock, emit, signal, watch, writes: true }, options),
    );
    if (lock.signal.aborted) await lock.assertHeld();
    return result;
  } finally {
    await lock.release();
  }
}

/** How whoever runs it takes the lock. */
export function lockOptions({ by, run, process, clock, emit }: Pick<ApplyOptions, 'by' | 'run' | 'process' | 'clock' | 'emit'>): LockOptions {
  return { holder: `${by} (${run})`, ...(process === undefined ? {} : { process }), clock, emit };
}

/** Whether every step is over that a plan does not put off. */
function isWell({ steps }: DeployPlan, { object }: Pick<SiteWatch, 'object'>): boolean {
  const isDone = (live: LiveObject | undefined): boolean => live !== undefined && assess(live).state === 'done';
  return steps.every(({ doneIn, deferred, objects }) => doneIn !== undefined || deferred !== undefined || objects.every((key) => isDone(object(key))));
}

async function watched<T>(cluster: Cluster, site: SiteName, clock: Clock, rendered: RenderedSite, work: (watch: SiteWatch) => Promise<T>): Promise<T> {
  const watch = await watchSite(cluster, site.namespace, clock, exposeKindsOf(rendered));
  try {
    return await work(watch);
  } finally {
    await watch.close();
  }
}

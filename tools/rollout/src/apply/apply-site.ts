import type { Clock, Cluster, LiveObject } from '#ports';
import { otherKindsOf, FIELD_MANAGER, renderedNamespaces, type RenderedSite } from '#site';
import { approvedRules } from '../plan/additions.ts';
import { checkApproved, checkPlan } from '../plan/check-plan.ts';
import { makePlan, type PlanChoices } from '../plan/make-plan.ts';
import type { DeployPlan } from '../plan/types.ts';
import { guardedCluster } from '../session/guarded-cluster.ts';
import { takeLock } from '../session/lock.ts';
import { type RunOptions, lockOptions } from '../session/run-options.ts';
import type { SiteName } from '../session/site-name.ts';
import { readWorkloads } from '../status/read-workloads.ts';
import { assess } from '../wait/assess.ts';
import { watchSite, type SiteWatch } from '../wait/site-watch.ts';
import { applyPlan, type DeployResult } from './apply-plan.ts';

export interface ApplyOptions extends PlanChoices, RunOptions {
  /** Steps at the same time. */
  readonly jobs?: number;
  /** An approved plan: nothing else is done. */
  readonly approved?: DeployPlan;
  /**
   * Called when no check refuses the run any longer: before the first write, or when nothing needs
   * to be written.
   */
  readonly onReady?: () => void;
}

/**
 * Applies a rendered site. If the cluster is up to date, nothing is written and no lock is taken:
 * workloads are only checked. Otherwise the work runs under the site's lock, from a plan made under
 * it. Throws the errors of `makePlan`, `checkPlan`, `checkApproved`, `takeLock` and its lock; later
 * failures are in the result.
 */
export async function applySite(
  cluster: Cluster,
  site: SiteName,
  rendered: RenderedSite,
  options: ApplyOptions,
): Promise<DeployResult> {
  const { approved, clock, emit } = options;
  const ready = async (): Promise<DeployPlan> => {
    const rules = [
      ...(options.rules ?? []),
      ...(approved === undefined ? [] : approvedRules(approved)),
    ];
    const plan = await makePlan(cluster, site, rendered, { ...options, rules });
    // An out-of-date plan is reported first: new conflicts are part of it.
    if (approved !== undefined) checkApproved(approved, plan);
    checkPlan(plan);
    return plan;
  };
  const first = await ready();
  for (const text of first.shortages ?? []) emit({ type: 'warning', text });
  const given = options.signal ?? new AbortController().signal;
  if (!first.work) {
    options.onReady?.();
    const looking = guardedCluster(cluster, () => {
      throw new Error('a site that is up to date must not be written to');
    });
    const look = (watch: SiteWatch): Promise<DeployResult> =>
      applyPlan(
        first,
        { cluster: looking, site, clock, emit, signal: given, watch, writes: false },
        options,
      );
    const seen = await readWorkloads(
      looking,
      site,
      renderedNamespaces(rendered, site),
      otherKindsOf(rendered),
    );
    // Nothing needs to be waited for, and watches cost more than one list.
    if (isWell(first, seen))
      return await look({ ...seen, change: async () => undefined, close: async () => undefined });
    return await watched(looking, site, clock, rendered, look);
  }
  const namespaces = first.objects.filter(
    ({ action, desired }) => desired.kind === 'Namespace' && action === 'create',
  );
  for (const { key, desired } of namespaces) {
    await cluster.apply(desired, { fieldManager: FIELD_MANAGER });
    emit({ type: 'written', key, action: 'create' });
  }
  const lock = await takeLock(cluster, site, { ...lockOptions(options), signal: given });
  try {
    const signal = AbortSignal.any([given, lock.signal]);
    const guarded = guardedCluster(cluster, () => lock.assertHeld());
    const plan = await ready();
    options.onReady?.();
    const result = await watched(guarded, site, clock, rendered, (watch) =>
      applyPlan(
        plan,
        { cluster: guarded, site, clock, emit, signal, watch, writes: true },
        options,
      ),
    );
    if (lock.signal.aborted) await lock.assertHeld();
    return result;
  } finally {
    await lock.release();
  }
}

/** Whether every step that is not postponed is done. */
function isWell({ steps }: DeployPlan, { object }: Pick<SiteWatch, 'object'>): boolean {
  const isDone = (live: LiveObject | undefined): boolean =>
    live !== undefined && assess(live).state === 'done';
  return steps.every(
    ({ doneIn, deferred, objects }) =>
      doneIn !== undefined || deferred !== undefined || objects.every((key) => isDone(object(key))),
  );
}

async function watched<T>(
  cluster: Cluster,
  site: SiteName,
  clock: Clock,
  rendered: RenderedSite,
  work: (watch: SiteWatch) => Promise<T>,
): Promise<T> {
  const watch = await watchSite(
    cluster,
    site,
    renderedNamespaces(rendered, site),
    clock,
    otherKindsOf(rendered),
  );
  try {
    return await work(watch);
  } finally {
    await watch.close();
  }
}

import { CcpError, omitUndefined } from '#core';
import type { Cluster, KubernetesObject } from '#ports';
import { keyOf, objectsOf, refOf, type ObjectKey, type RenderedSite } from '#site';
import { runAsJob, type ActionRequest, type ActionResult } from '../actions/run-as-job.ts';
import { each } from '../live/each.ts';
import { setsBefore } from '../record/outdated-jobs.ts';
import { guardedCluster } from '../session/guarded-cluster.ts';
import { takeLock } from '../session/lock.ts';
import { lockOptions, type RunOptions } from '../session/run-options.ts';
import type { SiteName } from '../session/site-name.ts';
import type { StepFailure } from '../session/step-failure.ts';
import { assess } from '../wait/assess.ts';
import type { ApplyContext } from './context.ts';
import { runPrecheck } from './run-precheck.ts';
import { suspendCronJob } from './suspend-cron-job.ts';
import { removeObject } from './write-object.ts';

/** Maximum workloads that stop at the same time. */
const JOBS = 8;
const STOPS = 'stops while its data is replaced';

/**
 * Runs an action that replaces data, under the site's lock. First its `precheck` must succeed;
 * otherwise the result is the one of that action, and nothing has stopped. Then the workloads of
 * its `stops` are deleted with their pods; CronJobs are suspended and their running Jobs deleted,
 * as are running Jobs of steps that depend on the data, such as a migration of a failed upgrade.
 * They are not started again; an apply of the site does that. An unfinished run of the same action
 * with equal values is continued. Throws the errors of `takeLock`, `cancelled`, and
 * `cluster-failed` if a workload does not stop.
 */
export async function replaceData(
  cluster: Cluster,
  site: SiteName,
  rendered: RenderedSite,
  request: ActionRequest,
  options: RunOptions,
): Promise<ActionResult> {
  const lock = await takeLock(cluster, site, {
    ...lockOptions(options),
    ...omitUndefined({ signal: options.signal }),
  });
  try {
    const signal = AbortSignal.any([lock.signal, ...(options.signal ? [options.signal] : [])]);
    const context = {
      ...options,
      site,
      cluster: guardedCluster(cluster, () => lock.assertHeld()),
      signal,
    };
    const unready = await runPrecheck(context.cluster, site, request, context);
    if (lock.signal.aborted) await lock.assertHeld();
    if (unready !== undefined) return unready;
    const stops = new Set(request.action.stops);
    const objects = [
      ...objectsOf(rendered).filter((object) => stops.has(keyOf(object, site))),
      ...jobsAfter(rendered, request.action.replaces, site),
    ];
    const failures = (await each(objects, JOBS, (object) => stopObject(object, context))).flat();
    const bringBack = `bring the stopped services back: ccp deploy apply ${site.name}`;
    if (lock.signal.aborted) await lock.assertHeld();
    if (signal.aborted)
      throw new CcpError({
        code: 'cancelled',
        message: `cancelled before ${request.action.id} started`,
        hint: bringBack,
      });
    if (failures.length > 0)
      throw new CcpError({
        code: 'cluster-failed',
        message: `${request.action.id} did not start: ${failures.map(({ key, reason }) => `${key} ${reason}`).join('; ')}`,
        hint: bringBack,
      });
    return await runAsJob(context.cluster, site, request, context);
  } finally {
    await lock.release();
  }
}

/** The Jobs of steps that wait for a StatefulSet. */
function jobsAfter(
  { steps }: RenderedSite,
  replaces: ObjectKey | undefined,
  site: SiteName,
): readonly KubernetesObject[] {
  return steps
    .filter(({ id }) => replaces !== undefined && setsBefore(steps, id, site).has(replaces))
    .flatMap(({ objects }) => objects.filter(({ kind }) => kind === 'Job'));
}

/** Suspends a CronJob, and deletes a workload or an unfinished Job with its pods. */
async function stopObject(
  object: KubernetesObject,
  context: Pick<ApplyContext, 'cluster' | 'site' | 'clock' | 'signal' | 'emit'>,
): Promise<readonly StepFailure[]> {
  const { cluster, emit } = context;
  if (object.kind === 'CronJob')
    return await suspendCronJob(object, { reason: STOPS, stopJobs: true }, context);
  const live = await cluster.get(refOf(object));
  if (live === undefined || context.signal.aborted) return [];
  const key = keyOf(object, context.site);
  if (object.kind === 'Job' && assess(live).state !== 'progressing') return [];
  const failure = await removeObject(refOf(object), live.metadata.uid, context, 'go');
  if (failure !== undefined) return [failure];
  emit({ type: 'written', key, action: 'prune', reason: STOPS });
  return [];
}

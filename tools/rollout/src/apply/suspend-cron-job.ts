import type { KubernetesObject, LiveObject } from '#ports';
import { FIELD_MANAGER, keyOf, refOf } from '#site';
import { each } from '../live/each.ts';
import type { StepFailure } from '../session/step-failure.ts';
import { assess } from '../wait/assess.ts';
import type { ApplyContext } from './context.ts';
import { removeObject } from './write-object.ts';

type Context = Pick<ApplyContext, 'cluster' | 'site' | 'clock' | 'signal' | 'emit'>;

/** Maximum Jobs that stop at the same time. */
const JOBS = 8;

/**
 * Suspends a CronJob that exists, until the next apply writes it without `suspend`. With
 * `stopJobs`, its unfinished Jobs are deleted with their pods.
 */
export async function suspendCronJob(
  object: KubernetesObject,
  { reason, stopJobs }: { readonly reason: string; readonly stopJobs: boolean },
  context: Context,
): Promise<readonly StepFailure[]> {
  const { cluster, site, emit } = context;
  const live = await cluster.get(refOf(object));
  if (live === undefined || context.signal.aborted) return [];
  const suspended = { ...object, spec: { ...(object.spec as object), suspend: true } };
  await cluster.apply(suspended, { fieldManager: FIELD_MANAGER, force: true });
  emit({ type: 'written', key: keyOf(object, site), action: 'update', reason: 'is suspended' });
  return stopJobs ? await stopJobsOf(live, reason, context) : [];
}

/** Deletes the unfinished Jobs of a CronJob with their pods, which may write to the data. */
async function stopJobsOf(
  { metadata }: LiveObject,
  reason: string,
  context: Context,
): Promise<readonly StepFailure[]> {
  const { namespace = context.site.namespace } = metadata;
  const { items } = await context.cluster.list(
    { apiVersion: 'batch/v1', kind: 'Job' },
    { namespace },
  );
  const running = items.filter(
    (job) =>
      job.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true &&
      assess(job).state === 'progressing',
  );
  const failures = await each(running, JOBS, async (job): Promise<StepFailure[]> => {
    const failure = await removeObject(refOf(job), job.metadata.uid, context);
    if (failure !== undefined) return [failure];
    context.emit({ type: 'written', key: keyOf(job, context.site), action: 'prune', reason });
    return [];
  });
  return failures.flat();
}

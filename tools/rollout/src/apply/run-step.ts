import type { LiveObject } from '#ports';
import { defaultsOf, keyOf, refOf, refOfKey, type ObjectKey } from '#site';
import { runAsJob } from '../actions/run-as-job.ts';
import { stopText } from '../plan/leaving.ts';
import type { DeployPlan, Leaving, PlannedObject, PlannedStep } from '../plan/types.ts';
import { imageOf } from '../record/image-of.ts';
import { type DataIds, dataIdsOf } from '../record/data-ids.ts';
import type { LedgerEntry } from '../record/ledger.ts';
import { setsBefore } from '../record/outdated-jobs.ts';
import { timeText } from '../session/time-text.ts';
import type { StepOutcome } from '../session/events.ts';
import { plainFailure, type StepFailure } from '../session/step-failure.ts';
import { waitFor } from '../wait/wait-for.ts';
import type { ApplyContext } from './context.ts';
import { suspendCronJob } from './suspend-cron-job.ts';
import { waitForOldPods } from './wait-for-old-pods.ts';
import { removeObject, writeObject } from './write-object.ts';

export interface StepRun {
  readonly plan: DeployPlan;
  readonly objects: ReadonlyMap<ObjectKey, PlannedObject>;
  /** Ids of the runs that replaced data, as the ledger notes them. */
  readonly replaced: Readonly<Record<ObjectKey, string>>;
  readonly note: (job: string, entry: LedgerEntry) => Promise<void>;
  /** The user of the run: `user@host`. */
  readonly by: string;
  readonly context: ApplyContext;
}

/**
 * Runs one step: CronJobs that would disturb it are suspended, superseded objects are deleted with
 * their pods, its objects are written and waited
 * for, and a completed Job is entered into the ledger. A Job in the ledger is done, whether its
 * object still exists or not.
 */
export async function runStep(step: PlannedStep, run: StepRun): Promise<StepOutcome> {
  const { context, objects } = run;
  const failures: StepFailure[] = [];
  for (const { key, stopJobs } of step.suspends ?? []) {
    const reason = 'stops before migrations';
    failures.push(
      ...(await suspendCronJob(objects.get(key)!.desired, { reason, stopJobs }, context)),
    );
  }
  for (const { key, apiVersion, uid, reason } of step.supersedes) {
    const failure = await removeObject(refOfKey(key, apiVersion, context.site), uid, context, 'go');
    if (failure === undefined) context.emit({ type: 'written', key, action: 'prune', reason });
    else failures.push(failure);
  }
  if (failures.length > 0) return outcomeOf(failures, context);
  if (step.doneIn !== undefined) return { state: 'done' };
  const left = step.leaving === undefined ? undefined : await leave(step.leaving, run, step.id);
  if (left !== undefined) return left;
  const old = await waitForOldPods(step, run.plan, context);
  if (old !== undefined) return outcomeOf([old], context);
  await Promise.all(
    step.objects.map(async (key) => {
      const planned = objects.get(key)!;
      const written = await writeObject(planned, context);
      const failure =
        'failure' in written ? written.failure : await awaitObject(written.live, step, run);
      if (failure !== undefined) failures.push(failure);
    }),
  );
  return outcomeOf(failures, context);
}

/** Runs the action before a scale-down; returns an outcome if the step must stop there. */
async function leave(
  leaving: Leaving,
  { plan, by, context }: StepRun,
  step: string,
): Promise<StepOutcome | undefined> {
  const { action: id, key, from, to } = leaving;
  if (to === 0) {
    context.emit({ type: 'step-waits', step, key, reason: stopText(leaving) });
    return undefined;
  }
  const action = plan.rendered.actions.find((each) => each.id === id)!;
  const { run, failure } = await runAsJob(
    context.cluster,
    context.site,
    { action, parameters: defaultsOf(action), revision: plan.revision },
    { ...context, by },
  );
  if (run.state === 'running') return { state: 'cancelled' };
  return failure === undefined
    ? undefined
    : {
        state: 'failed',
        failures: [
          {
            ...failure,
            key,
            reason: `keeps its ${from} pods, because ${id}, which must run before it is scaled to ${to}, failed: ${failure.reason}`,
          },
        ],
      };
}

async function awaitObject(
  live: LiveObject,
  step: PlannedStep,
  { context, plan, note, replaced }: StepRun,
): Promise<StepFailure | undefined> {
  const { cluster, site, watch, clock, signal, emit, writes } = context;
  const key = keyOf(live, site);
  const unstick = async (pod: LiveObject): Promise<void> => {
    await cluster.delete(refOf(pod), { preconditions: { uid: pod.metadata.uid } });
    emit({
      type: 'written',
      key: keyOf(pod, site),
      action: 'unstick',
      reason: `${key} waits for it and it is broken`,
    });
  };
  const progress = (reason: string): void =>
    emit({ type: 'step-waits', step: step.id, key, reason });
  const ended = await waitFor(live, {
    cluster,
    home: site,
    watch,
    clock,
    signal,
    progress,
    ...(writes ? { unstick } : {}),
  });
  if (ended === 'cancelled')
    return plainFailure(key, 'is no longer waited for: the run was cancelled');
  if (ended === undefined && live.kind === 'Job') {
    const sets = setsBefore(plan.rendered.steps, step.id, site);
    const data = dataOf(sets, context);
    const replacedBefore = Object.entries(replaced).filter(([set]) => sets.has(set as ObjectKey));
    await note(live.metadata.name, {
      step: step.id,
      phase: step.phase,
      revision: plan.revision,
      image: imageOf(live),
      at: timeText(clock),
      ...(data.size === 0 ? {} : { data: Object.fromEntries(data) }),
      ...(replacedBefore.length === 0 ? {} : { replaced: Object.fromEntries(replacedBefore) }),
    });
  }
  return ended;
}

/** Ids of the data of StatefulSets. */
function dataOf(keys: ReadonlySet<ObjectKey>, { site, watch }: ApplyContext): DataIds {
  const sets = [...keys].map((key) => watch.object(key));
  return dataIdsOf(
    sets.flatMap((set) => (set === undefined ? [] : watch.podsOf(set, 'all'))) as LiveObject[],
    site,
  );
}

function outcomeOf(failures: readonly StepFailure[], { signal }: ApplyContext): StepOutcome {
  if (failures.length === 0) return { state: 'done' };
  return signal.aborted ? { state: 'cancelled' } : { state: 'failed', failures };
}

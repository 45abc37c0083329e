import { mapRecord, messageOf, omitUndefined } from '#core';
import type { ObjectKey } from '#site';
import { readRuns } from '../record/run-store.ts';
import { each } from '../live/each.ts';
import type { DeployPlan, PlannedStep } from '../plan/types.ts';
import { imagesIn } from '../record/images-in.ts';
import { ledgerWriter, readLedger } from '../record/ledger-store.ts';
import { dropOldRecords, readRecords, writeRecord, writeRevision } from '../record/record-store.ts';
import type { RevisionRecord } from '../record/record.ts';
import { replacementIds, replacementsIn } from '../record/replacements.ts';
import { timeText } from '../session/time-text.ts';
import type { StepOutcome } from '../session/events.ts';
import { plainFailure, type StepFailure } from '../session/step-failure.ts';
import { awaitSchemas } from './await-schemas.ts';
import type { ApplyContext } from './context.ts';
import { forgetAll } from './forget-runs.ts';
import { pruneSite } from './prune-site.ts';
import { runStep } from './run-step.ts';
import { runSteps } from './run-steps.ts';
import { stepFailures } from './step-failures.ts';
import { measuredAway, type MeasuredTime, secondsOf, stepTimes } from './step-times.ts';
import { writeObject } from './write-object.ts';

/** Maximum steps, and calls for the foundation, at the same time. */
const JOBS = 8;

/** The result of an applied plan. */
export interface DeployResult {
  readonly plan: DeployPlan;
  /** `unchanged`: the cluster already had every object and is healthy. */
  readonly state: 'unchanged' | 'good' | 'failed' | 'cancelled';
  readonly steps: ReadonlyMap<string, StepOutcome>;
  /** Failures of the foundation and of pruning; failures of steps are in their outcomes. */
  readonly failures: readonly StepFailure[];
  /** How long workloads that stopped before migrations were away. */
  readonly away: readonly MeasuredTime[];
  /** Why nothing was pruned although objects were planned to be. */
  readonly notPruned?: string;
}

/**
 * Applies a plan: record, foundation, steps in order, prune, record. Failures are in the result;
 * independent work continues.
 */
export async function applyPlan(
  plan: DeployPlan,
  context: ApplyContext,
  { by, jobs = JOBS }: { readonly by: string; readonly jobs?: number },
): Promise<DeployResult> {
  const { writes, signal } = context;
  const record = writes ? await openRecord(plan, context, by) : undefined;
  const unforgotten = (writes ? await forgetAll(plan, context) : []).map((failure) => ({
    failure,
    instance: undefined,
  }));
  const foundation = [...unforgotten, ...(await writeFoundation(plan, context))];
  const objects = new Map(plan.objects.map((object) => [object.key, object]));
  const note = ledgerWriter(
    context.cluster,
    context.site,
    await readLedger(context.cluster, context.site),
  );
  const replaced = replacementIds(
    replacementsIn(plan.rendered, await readRuns(context.cluster, context.site)),
  );
  const times = stepTimes(context.clock);
  const run = async (step: PlannedStep): Promise<StepOutcome> => {
    context.emit({ type: 'step-started', step: step.id });
    times.start(step.id);
    const unmetCondition = foundation.filter(
      ({ instance }) =>
        instance === undefined || step.instance === undefined || instance === step.instance,
    );
    if (unmetCondition.length > 0)
      return { state: 'blocked', by: unmetCondition.map(({ failure }) => failure.key) };
    try {
      return await runStep(step, { plan, objects, replaced, note, by, context });
    } catch (error) {
      if (signal.aborted) return { state: 'cancelled' };
      return {
        state: 'failed',
        failures: [
          plainFailure(step.objects[0] ?? step.id, `could not be applied: ${messageOf(error)}`),
        ],
      };
    }
  };
  const steps = await runSteps(plan.steps, run, {
    limit: jobs,
    signal,
    ended: (step, outcome) => {
      if (outcome.state === 'done') times.end(step.id);
      context.emit({ type: 'step-ended', step: step.id, outcome });
    },
  });
  if (writes) await awaitSchemas(plan, steps, context);
  const failures = foundation.map(({ failure }) => failure);
  const bad = [...steps].filter(([, { state }]) => state !== 'done' && state !== 'deferred');
  let notPruned: string | undefined;
  if (plan.prune.length > 0) {
    if (signal.aborted) notPruned = 'the run was cancelled';
    else if (bad.length > 0 || failures.length > 0)
      notPruned = 'something failed, and existing objects may still be needed';
    else failures.push(...(await pruneSite(plan, context)));
  }
  if (!signal.aborted && bad.length === 0 && failures.length === 0)
    failures.push(...(await writeLast(plan, context)));
  const rest = {
    plan,
    steps,
    failures,
    away: measuredAway(plan, times),
    ...omitUndefined({ notPruned }),
  };
  if (signal.aborted) return { ...rest, state: 'cancelled' };
  const state = bad.length > 0 || failures.length > 0 ? 'failed' : 'good';
  if (record !== undefined)
    await closeRecord(record, state, { ...rest, seconds: secondsOf(plan, times) }, context);
  return { ...rest, state: state === 'good' && !writes ? 'unchanged' : state };
}

/** The failed objects of the foundation, each with its instance. */
async function writeFoundation(
  plan: DeployPlan,
  context: ApplyContext,
): Promise<{ readonly failure: StepFailure; readonly instance: string | undefined }[]> {
  const pending = plan.objects.filter(
    ({ step, action, last }) => step === undefined && action !== 'unchanged' && last !== true,
  );
  const results = await each(pending, JOBS, async (object) => {
    if (context.signal.aborted) return [];
    const written = await writeObject(object, context);
    return 'failure' in written ? [{ failure: written.failure, instance: object.instance }] : [];
  });
  return results.flat();
}

/** Writes the objects that come after everything else; returns those that failed. */
async function writeLast(plan: DeployPlan, context: ApplyContext): Promise<StepFailure[]> {
  const last = plan.objects.filter((object) => object.last === true);
  const written = await each(last, JOBS, (object) => writeObject(object, context));
  return written.flatMap((one) => ('failure' in one ? [one.failure] : []));
}

async function openRecord(
  plan: DeployPlan,
  { cluster, site, clock, emit }: ApplyContext,
  by: string,
): Promise<RevisionRecord> {
  emit({ type: 'revision', revision: plan.revision, state: 'running' });
  if (!plan.newRevision) {
    const record = (await readRecords(cluster, site)).find(
      ({ revision }) => revision === plan.revision,
    )!;
    // A good revision stays good until the outcome is known: a rollback to it is possible.
    if (record.state === 'good') return record;
    const { failures: _, endedAt: __, ...rest } = record;
    const again: RevisionRecord = { ...rest, state: 'running', startedAt: timeText(clock), by };
    await writeRecord(cluster, site, again);
    return again;
  }
  const { rendered, content, revision, rollbackTo, members } = plan;
  return await writeRevision(
    cluster,
    site,
    {
      format: 1,
      site: site.name,
      revision,
      state: 'running',
      content,
      startedAt: timeText(clock),
      by,
      ...omitUndefined({ rollbackTo }),
      images: imagesIn(rendered),
      secrets: rendered.secrets.map(({ name }) => name),
      ...omitUndefined({
        members,
        series: rendered.series,
        hop: plan.seriesHop,
        schemas: rendered.schemas && mapRecord(rendered.schemas, ({ revisions }) => revisions),
      }),
    },
    rendered,
  );
}

async function closeRecord(
  record: RevisionRecord,
  state: 'good' | 'failed',
  {
    steps,
    failures,
    seconds,
  }: Pick<DeployResult, 'steps' | 'failures'> & Required<Pick<RevisionRecord, 'seconds'>>,
  { cluster, site, clock, emit }: ApplyContext,
): Promise<void> {
  const { failures: _, ...rest } = record;
  const lines = [...failures, ...stepFailures(steps)].map(
    ({ key, reason }: { key: ObjectKey; reason: string }) => `${key}: ${reason}`,
  );
  await writeRecord(cluster, site, {
    ...rest,
    state,
    endedAt: timeText(clock),
    ...(lines.length === 0 ? {} : { failures: lines }),
    seconds: { ...rest.seconds, ...seconds },
  });
  emit({ type: 'revision', revision: record.revision, state });
  await dropOldRecords(cluster, site, await readRecords(cluster, site));
}

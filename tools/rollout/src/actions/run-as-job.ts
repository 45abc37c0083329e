import { canonicalJson, type Json, omitUndefined } from '#core';
import type { Cluster, KubernetesObject, LiveObject } from '#ports';
import {
  contentHash,
  FIELD_MANAGER,
  refOf,
  withValues,
  type ParameterValues,
  type RenderedAction,
} from '#site';
import { timeText } from '../session/time-text.ts';
import type { RunOptions } from '../session/run-options.ts';
import type { SiteName } from '../session/site-name.ts';
import { plainFailure, type StepFailure } from '../session/step-failure.ts';
import type { Pod } from '../wait/pod.ts';
import { reportedSchemas } from './reported-schemas.ts';
import { watchSite } from '../wait/site-watch.ts';
import { waitFor } from '../wait/wait-for.ts';
import { changeRuns, readRuns, type ActionRun } from '../record/run-store.ts';

/** An action to run, with the revision of the site. */
export interface ActionRequest {
  readonly action: RenderedAction;
  readonly parameters: ParameterValues;
  readonly revision: number;
}

/**
 * The result of a run. It is still `running` if ccp was stopped; the Job continues in the cluster.
 */
export interface ActionResult {
  readonly run: ActionRun;
  /** Output of its container. */
  readonly log: string;
  readonly failure?: StepFailure;
}

const LINES = 5000;
/** Exit code of an action that failed before it changed anything: EX_NOINPUT of sysexits.h. */
const NO_CHANGE = 66;

/**
 * As `runAction`, without the lock: for actions of a run that already has it, and for checks, which
 * may run next to any change. Runs are entered by optimistic locking, so parallel runs get
 * different numbers.
 */
export async function runAsJob(
  cluster: Cluster,
  site: SiteName,
  { action, parameters, revision }: ActionRequest,
  { by, clock, emit, signal = new AbortController().signal }: Omit<RunOptions, 'run'>,
): Promise<ActionResult> {
  const job = withValues(action.job, action.parameters, parameters);
  const run = await enteredRun(cluster, site, { action, parameters, revision }, { job, clock, by });
  const step = `${action.kind} ${action.id}`;
  emit({ type: 'step-started', step });
  const watch = await watchSite(cluster, site, [site.namespace], clock);
  try {
    const live = await written(cluster, action, {
      ...job,
      metadata: { ...job.metadata, name: run.job },
    });
    const key = `Job/${run.job}`;
    const progress = (reason: string): void => emit({ type: 'step-waits', step, key, reason });
    const ended =
      'reason' in live
        ? plainFailure(key, live.reason)
        : await waitFor(live.object, { cluster, home: site, watch, clock, signal, progress });
    if (ended === 'cancelled') return { run, log: '' };
    const log = 'reason' in live ? '' : await outputOf(cluster, site, watch.podsOf(live.object));
    const changed = ended !== undefined && !('reason' in live) && ended.exitCode !== NO_CHANGE;
    const over: ActionRun = {
      ...run,
      state: ended === undefined ? 'good' : 'failed',
      endedAt: timeText(clock),
      ...omitUndefined({
        reason: ended?.reason,
        incomplete: action.replaces !== undefined && changed ? true : undefined,
        schemas: 'reason' in live ? undefined : reportedSchemas(watch.podsOf(live.object)),
      }),
    };
    await changeRuns(cluster, site, () => over);
    emit({
      type: 'step-ended',
      step,
      outcome: ended === undefined ? { state: 'done' } : { state: 'failed', failures: [ended] },
    });
    return { run: over, log, ...omitUndefined({ failure: ended }) };
  } finally {
    await watch.close();
  }
}

/** The unfinished run of the same action and values. */
export async function unfinishedRun(
  cluster: Cluster,
  site: SiteName,
  { action, parameters, revision }: ActionRequest,
): Promise<ActionRun | undefined> {
  return (await readRuns(cluster, site)).find(
    (run) =>
      run.state === 'running' &&
      run.action === action.id &&
      run.revision === revision &&
      canonicalJson(run.parameters as Json) === canonicalJson(parameters as Json),
  );
}

/**
 * The unfinished run of the same action and values, otherwise a new run with the next number, after
 * which its `job` is named.
 */
async function enteredRun(
  cluster: Cluster,
  site: SiteName,
  { action, parameters, revision }: ActionRequest,
  { job, clock, by }: { readonly job: KubernetesObject } & Pick<RunOptions, 'clock' | 'by'>,
): Promise<ActionRun> {
  const running = await unfinishedRun(cluster, site, { action, parameters, revision });
  if (running !== undefined) return running;
  return await changeRuns(cluster, site, (runs) => {
    const number = (runs.at(-1)?.run ?? 0) + 1;
    const name = `${job.metadata.name}-${contentHash({ run: number, spec: job['spec'] as object })}`;
    return {
      format: 1,
      run: number,
      action: action.id,
      kind: action.kind,
      parameters,
      revision,
      job: name,
      state: 'running',
      startedAt: timeText(clock),
      by,
      ...omitUndefined({ replaces: action.replaces }),
    };
  });
}

/** The output of the pods, one after the other; empty for a pod that cannot be read. */
async function outputOf(
  cluster: Cluster,
  { namespace }: SiteName,
  pods: readonly Pod[],
): Promise<string> {
  const read = ({ metadata }: Pod): Promise<string | undefined> =>
    cluster.logs({ namespace, name: metadata.name }, { tail: LINES }).catch(() => undefined);
  return (await Promise.all(pods.map(read))).join('');
}

/**
 * The run's Job, created with the claims it mounts if it does not exist; or why it cannot be
 * created.
 */
async function written(
  cluster: Cluster,
  action: RenderedAction,
  job: KubernetesObject,
): Promise<{ readonly object: LiveObject } | { readonly reason: string }> {
  const found = await cluster.get(refOf(job));
  if (found !== undefined) return { object: found };
  for (const object of [...action.claims, job]) {
    if (object.kind !== 'Job' && (await cluster.get(refOf(object))) !== undefined) continue;
    const outcome = await cluster.apply(object, { fieldManager: FIELD_MANAGER });
    if (outcome.outcome === 'applied' && object === job) return { object: outcome.object };
    if (outcome.outcome === 'invalid')
      return { reason: `was rejected by the API server: ${outcome.message}` };
    if (outcome.outcome !== 'applied')
      return { reason: `${object.kind}/${object.metadata.name} is owned by another manager` };
  }
  return { reason: 'was not created' };
}

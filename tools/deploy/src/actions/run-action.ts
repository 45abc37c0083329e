import { canonicalJson, type Json } from '#core';
import type { Cluster, KubernetesObject, LiveObject } from '#ports';
import type { ApplyOptions } from '../apply/apply-site.ts';
import { timeText } from '../apply/clock.ts';
import { lockOptions } from '../apply/apply-site.ts';
import { guardedCluster } from '../apply/guarded-cluster.ts';
import { takeLock } from '../apply/lock.ts';
import { contentHash } from '../labels.ts';
import { refOf } from '../live/object-key.ts';
import type { SiteName } from '../live/read-live.ts';
import { FIELD_MANAGER } from '../live/site-kinds.ts';
import type { RenderedAction, RenderedSite } from '../types.ts';
import { plainFailure, type StepFailure } from '../wait/failure.ts';
import type { Pod } from '../wait/pod.ts';
import { watchSite } from '../wait/site-watch.ts';
import { waitFor } from '../wait/wait-for.ts';
import { withValues, type ParameterValues } from './parameters.ts';
import { changeRuns, readRuns, type ActionRun } from './run-store.ts';

/** What is to be run, of which revision of the site. */
export interface ActionRequest {
  readonly action: RenderedAction;
  readonly parameters: ParameterValues;
  readonly revision: number;
}

/** What came of a run; it is still `running` where the tool was told to stop, and goes on in the cluster. */
export interface ActionResult {
  readonly run: ActionRun;
  /** Output of its container. */
  readonly log: string;
  readonly failure?: StepFailure;
}

export type RunOptions = Pick<ApplyOptions, 'by' | 'run' | 'process' | 'clock' | 'emit' | 'signal'>;

const LINES = 5000;

/**
 * Runs an action under the site's lock and waits for it. A run of the same with the same values that did not come to its end is
 * gone on with, so a killed tool can be run again. Raises what `takeLock` raises.
 */
export async function runAction(cluster: Cluster, site: SiteName, request: ActionRequest, options: RunOptions): Promise<ActionResult> {
  const { signal } = options;
  const lock = await takeLock(cluster, site, { ...lockOptions(options), ...(signal === undefined ? {} : { signal }) });
  try {
    return await runAsJob(
      guardedCluster(cluster, () => lock.assertHeld()),
      site,
      request,
      { ...options, signal: AbortSignal.any([lock.signal, ...(signal === undefined ? [] : [signal])]) },
    );
  } finally {
    await lock.release();
  }
}

/** What running all checks of a revision asks for. */
export function checkRequests({ actions }: Pick<RenderedSite, 'actions'>, revision: number): ActionRequest[] {
  return actions.filter(({ kind }) => kind === 'check').map((action) => ({ action, parameters: {}, revision }));
}

/** Runs checks, all at once. They change nothing of the site, so they take no lock, and one that another holds does not hold them up. */
export async function runChecks(cluster: Cluster, site: SiteName, requests: readonly ActionRequest[], options: RunOptions): Promise<readonly ActionResult[]> {
  return await Promise.all(requests.map((request) => runAsJob(cluster, site, request, options)));
}

/**
 * As `runAction`, without asking for the lock: an action is for who holds it already, a check may run beside whatever changes the site.
 * Runs are entered by optimistic locking, so several at once each have their number.
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
  const watch = await watchSite(cluster, site.namespace, clock);
  try {
    const live = await written(cluster, action, { ...job, metadata: { ...job.metadata, name: run.job } });
    const key = `Job/${run.job}`;
    const progress = (reason: string): void => emit({ type: 'step-waits', step, key, reason });
    const ended = 'reason' in live ? plainFailure(key, live.reason) : await waitFor(live.object, { cluster, watch, clock, signal, progress });
    if (ended === 'cancelled') return { run, log: '' };
    const log = 'reason' in live ? '' : await outputOf(cluster, site, watch.podsOf(live.object));
    const over: ActionRun = {
      ...run,
      state: ended === undefined ? 'good' : 'failed',
      endedAt: timeText(clock),
      ...(ended === undefined ? {} : { reason: ended.reason }),
    };
    await changeRuns(cluster, site, () => over);
    emit({ type: 'step-ended', step, outcome: ended === undefined ? { state: 'done' } : { state: 'failed', failures: [ended] } });
    return { run: over, log, ...(ended === undefined ? {} : { failure: ended }) };
  } finally {
    await watch.close();
  }
}

/** The run of the same that has not come to its end, else a new one with the next number, which `job` is named for. */
async function enteredRun(
  cluster: Cluster,
  site: SiteName,
  { action, parameters, revision }: ActionRequest,
  { job, clock, by }: { readonly job: KubernetesObject } & Pick<RunOptions, 'clock' | 'by'>,
): Promise<ActionRun> {
  const same = (run: ActionRun): boolean =>
    run.state === 'running' &&
    run.action === action.id &&
    run.revision === revision &&
    canonicalJson(run.parameters as Json) === canonicalJson(parameters as Json);
  const running = (await readRuns(cluster, site)).find(same);
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
    };
  });
}

/** What the pods printed, one after the other; nothing of one that cannot be asked. */
async function outputOf(cluster: Cluster, { namespace }: SiteName, pods: readonly Pod[]): Promise<string> {
  const read = ({ metadata }: Pod): Promise<string | undefined> => cluster.logs({ namespace, name: metadata.name }, { tail: LINES }).catch(() => undefined);
  return (await Promise.all(pods.map(read))).join('');
}

/** The run's Job, made with the claims it mounts where it is not there yet; or why it cannot be. */
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
    if (outcome.outcome === 'invalid') return { reason: `was refused by the server: ${outcome.message}` };
    if (outcome.outcome !== 'applied') return { reason: `${object.kind}/${object.metadata.name} is another's` };
  }
  return { reason: 'was not made' };
}

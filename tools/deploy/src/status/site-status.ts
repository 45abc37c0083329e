import type { LiveObject } from '#ports';
import type { ActionRun } from '../actions/run-store.ts';
import type { LockHolder } from '../apply/lock.ts';
import { keyOf, type ObjectKey } from '../live/object-key.ts';
import { doneIn } from '../record/done-in.ts';
import type { Ledger } from '../record/ledger.ts';
import type { RevisionRecord } from '../record/record.ts';
import type { RenderedSite, Step } from '../types.ts';
import { assess } from '../wait/assess.ts';
import { troubleText } from '../wait/trouble-text.ts';
import type { SiteWatch } from '../wait/site-watch.ts';
import type { ExplainedTrouble } from './explain-troubles.ts';
import { isOfRevision } from './is-of-revision.ts';
import { overdueText } from './overdue-text.ts';
import type { Scaled } from './scaled-by-others.ts';

/** `waiting` is a step that cannot start yet; `missing` one whose objects are not there, or are those of an earlier revision, though it could. */
export type StepState = 'done' | 'progressing' | 'failed' | 'waiting' | 'missing' | 'deferred';

export interface StepStatus extends Pick<Step, 'id' | 'instance' | 'wave'> {
  readonly state: StepState;
  /** What it waits for, or what is wrong; where it is done, what will be. */
  readonly reason: string;
  readonly pods: { readonly ready: number; readonly wanted: number } | undefined;
}

/** How a site is, as its newest revision wants it. */
export interface SiteStatus {
  readonly site: string;
  readonly namespace: string;
  readonly cluster: string;
  readonly record: RevisionRecord;
  /** Who changes the site now, or held the lock when it was killed. */
  readonly holder?: LockHolder;
  readonly steps: readonly StepStatus[];
  /** The last run of each check of this revision, by id; `undefined` where none has run. */
  readonly checks: readonly { readonly id: string; readonly run: ActionRun | undefined }[];
  /** True where every step is done or put off, and no check has failed. */
  readonly well: boolean;
}

/** What is looked at for a status; `watch` shows it as it is now. */
export interface StatusInput {
  readonly site: { readonly name: string; readonly namespace: string };
  readonly cluster: string;
  readonly record: RevisionRecord;
  readonly rendered: RenderedSite;
  readonly ledger: Ledger;
  readonly runs: readonly ActionRun[];
  readonly holder?: LockHolder;
  readonly watch: Pick<SiteWatch, 'object' | 'podsOf'>;
  /** Workloads that others have scaled. */
  readonly scaled: ReadonlyMap<ObjectKey, Scaled>;
  /** What is behind the state of workloads that are not well. */
  readonly troubles: ReadonlyMap<ObjectKey, ExplainedTrouble>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The state of each step from what is there. Pure. */
export function siteStatus({ site, cluster, record, rendered, ledger, runs, holder, watch, scaled, troubles, now }: StatusInput): SiteStatus {
  const states = new Map<string, StepState>();
  const steps = rendered.steps.map((step): StepStatus => {
    const status = stepStatus(step, { ledger, watch, record, scaled, troubles, states, now });
    states.set(step.id, status.state);
    return status;
  });
  const checks = rendered.actions
    .filter(({ kind }) => kind === 'check')
    .map(({ id }) => ({ id, run: runs.findLast((run) => run.action === id && run.revision === record.revision) }));
  const well = steps.every(({ state }) => state === 'done' || state === 'deferred') && checks.every(({ run }) => run?.state !== 'failed');
  return { site: site.name, namespace: site.namespace, cluster, record, ...(holder === undefined ? {} : { holder }), steps, checks, well };
}

function stepStatus(
  step: Step,
  {
    ledger,
    watch,
    record,
    scaled,
    troubles,
    states,
    now,
  }: Pick<StatusInput, 'ledger' | 'watch' | 'record' | 'scaled' | 'troubles' | 'now'> & { readonly states: ReadonlyMap<string, StepState> },
): StepStatus {
  const { id, instance, wave } = step;
  const base = { id, wave, ...(instance === undefined ? {} : { instance }) };
  const live = step.objects.map((object) => watch.object(keyOf(object)));
  const pods = step.phase === 'roll' ? podsIn(live, scaled) : undefined;
  if (doneIn(step, ledger) !== undefined) return { ...base, state: 'done', reason: '', pods };
  const before = step.waitsFor.filter((other) => states.get(other) !== 'done' && states.get(other) !== 'deferred');
  const old =
    record.state === 'good' ? [] : live.filter((object, index) => object !== undefined && object.kind !== 'Job' && !isOfRevision(object, step.objects[index]!));
  if (old.length > 0) {
    const earlier = 'what runs is of an earlier revision';
    return before.length > 0
      ? { ...base, state: 'waiting', reason: `waits for ${before.join(', ')}; ${earlier}`, pods }
      : { ...base, state: 'missing', reason: earlier, pods };
  }
  const found = live.flatMap((object) => (object === undefined ? [] : [judged(object, troubles.get(keyOf(object)), now)]));
  const failed = found.find(({ state }) => state === 'failed');
  const moving = found.find(({ state }) => state === 'progressing');
  if (failed !== undefined) return { ...base, state: 'failed', reason: failed.reason, pods };
  const other = step.objects.map((object) => scaled.get(keyOf(object))).find((each) => each !== undefined);
  if (other !== undefined) return { ...base, state: 'failed', reason: other.reason, pods };
  if (moving !== undefined) return { ...base, state: 'progressing', reason: moving.reason, pods };
  if (found.length === step.objects.length)
    return { ...base, state: 'done', reason: found.map(({ reason }) => reason).find((reason) => reason !== '') ?? '', pods };
  if (step.phase === 'contract' && record.state === 'good')
    return { ...base, state: 'deferred', reason: 'until the release is confirmed with --contract', pods };
  if (before.length > 0) return { ...base, state: 'waiting', reason: `waits for ${before.join(', ')}`, pods };
  return { ...base, state: 'missing', reason: `${missingOf(step, live).join(', ')} is not there`, pods };
}

function judged(
  object: LiveObject,
  { trouble, lacks }: ExplainedTrouble = {},
  now: number,
): { readonly state: 'done' | 'progressing' | 'failed'; readonly reason: string } {
  const assessment = assess(object);
  if (assessment.state === 'done') return { state: 'done', reason: overdueText(object, now) };
  const reason = troubleText(assessment, trouble, lacks);
  return { state: assessment.state === 'failed' || (trouble !== undefined && trouble.broken && object.kind !== 'Job') ? 'failed' : 'progressing', reason };
}

interface PodCounts {
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly numberReady?: number;
  readonly desiredNumberScheduled?: number;
}

function podsIn(objects: readonly (LiveObject | undefined)[], scaled: StatusInput['scaled']): { ready: number; wanted: number } {
  const of = objects.map((object) => ({
    spec: (object?.['spec'] ?? {}) as { replicas?: number },
    asked: object === undefined ? undefined : scaled.get(keyOf(object))?.wanted,
    status: (object?.['status'] ?? {}) as PodCounts,
  }));
  return {
    ready: of.reduce((sum, { status }) => sum + (status.readyReplicas ?? status.availableReplicas ?? status.numberReady ?? 0), 0),
    wanted: of.reduce((sum, { spec, status, asked }) => sum + (asked ?? spec.replicas ?? status.desiredNumberScheduled ?? 0), 0),
  };
}

function missingOf(step: Step, live: readonly (LiveObject | undefined)[]): ObjectKey[] {
  return step.objects.filter((_, index) => live[index] === undefined).map(keyOf);
}

import { omitUndefined } from '#core';
import type { LiveObject } from '#ports';
import { keyOf, type Home, type ObjectKey, type RenderedSite, type Step } from '#site';
import type { ActionRun } from '../record/run-store.ts';
import { doneIn } from '../record/done-in.ts';
import type { Ledger } from '../record/ledger.ts';
import type { Outdated } from '../record/outdated-jobs.ts';
import type { RevisionRecord } from '../record/record.ts';
import { isFit, type SchemaState } from '../record/schema-states.ts';
import { unfinishedIn, type Replacements, type Unfinished } from '../record/replacements.ts';
import type { LockHolder } from '../session/lock.ts';
import { assess } from '../wait/assess.ts';
import type { SiteWatch } from '../wait/site-watch.ts';
import { failureText } from '../wait/failure-text.ts';
import { type ActionAge, actionAges } from './action-ages.ts';
import type { ExplainedFailure } from './explain-pod-failures.ts';
import type { ObjectsStatus } from './judge-objects.ts';
import { matchesRevision } from './matches-revision.ts';
import { overdueText } from './overdue-text.ts';
import type { SetAside } from './set-aside.ts';
import type { Scaled } from './scaled-by-others.ts';

/**
 * `waiting`: the step cannot start yet. `missing`: its objects do not exist or belong to an earlier
 * revision, though it could start.
 */
export type StepState = 'done' | 'progressing' | 'failed' | 'waiting' | 'missing' | 'deferred';

export interface StepStatus extends Pick<Step, 'id' | 'instance' | 'wave'> {
  readonly state: StepState;
  /** The awaited step or the failure; for a step that is done, an upcoming problem. */
  readonly reason: string;
  readonly pods: { readonly ready: number; readonly wanted: number } | undefined;
}

/** The state of a site, compared with its newest revision. */
export interface SiteStatus extends ObjectsStatus {
  readonly site: string;
  readonly namespace: string;
  readonly cluster: string;
  readonly record: RevisionRecord;
  /** The run that changes the site, or that was killed with the lock. */
  readonly holder?: LockHolder;
  readonly steps: readonly StepStatus[];
  /** The last run of each check of this revision, by id; `undefined` if it has not run. */
  readonly checks: readonly { readonly id: string; readonly run: ActionRun | undefined }[];
  /** Actions whose last good run must not be too old. */
  readonly ages: readonly ActionAge[];
  /** Workloads that run with too few nodes; they are warnings. */
  readonly shortages: readonly string[];
  /** Data folders that members keep until an action removes them. */
  readonly setAside: readonly SetAside[];
  /** Actions that may have replaced a part of the data only. */
  readonly unfinished: readonly Unfinished[];
  /** The schemas of databases, compared with the migrations of the revision. */
  readonly schemas: readonly SchemaState[];
  /**
   * True if every step is done or postponed, no object is missing or differs, no check failed, all
   * data is complete, and no database lacks migrations or has unknown ones.
   */
  readonly well: boolean;
}

/** The inputs of a status; `watch` has the live objects. */
export interface StatusInput {
  readonly site: { readonly name: string; readonly namespace: string };
  readonly cluster: string;
  readonly record: RevisionRecord;
  readonly rendered: RenderedSite;
  readonly ledger: Ledger;
  readonly runs: readonly ActionRun[];
  readonly holder?: LockHolder;
  readonly watch: Pick<SiteWatch, 'object' | 'podsOf'>;
  /** Workloads that other managers have scaled. */
  readonly scaled: ReadonlyMap<ObjectKey, Scaled>;
  readonly objects: ObjectsStatus;
  readonly shortages: readonly string[];
  readonly setAside: readonly SetAside[];
  /** Jobs that must run again. */
  readonly outdated?: readonly Outdated[];
  readonly replacements?: Replacements;
  readonly schemas?: readonly SchemaState[];
  /** Causes of workloads that are not healthy. */
  readonly podFailures: ReadonlyMap<ObjectKey, ExplainedFailure>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The state of each step, from live objects. Pure. */
export function siteStatus({
  site,
  cluster,
  record,
  rendered,
  ledger,
  runs,
  holder,
  watch,
  scaled,
  objects,
  podFailures,
  shortages,
  setAside,
  outdated = [],
  replacements = new Map(),
  schemas = [],
  now,
}: StatusInput): SiteStatus {
  const again = new Map(
    outdated.flatMap(({ jobs, reason }) => jobs.map((job) => [job, reason] as const)),
  );
  const states = new Map<string, StepState>();
  const steps = rendered.steps.map((step): StepStatus => {
    const status = stepStatus(step, {
      home: site,
      ledger,
      watch,
      record,
      scaled,
      podFailures,
      unread: objects.unread,
      states,
      again,
      now,
    });
    states.set(step.id, status.state);
    return status;
  });
  const checks = rendered.actions
    .filter(({ kind }) => kind === 'check')
    .map(({ id }) => ({
      id,
      run: runs.findLast((run) => run.action === id && run.revision === record.revision),
    }));
  const unfinished = unfinishedIn(replacements);
  const well =
    unfinished.length === 0 &&
    steps.every(({ state }) => state === 'done' || state === 'deferred') &&
    objects.missing.length === 0 &&
    objects.drift.length === 0 &&
    schemas.every(isFit) &&
    checks.every(({ run }) => run?.state !== 'failed');
  return {
    site: site.name,
    namespace: site.namespace,
    cluster,
    record,
    ...omitUndefined({ holder }),
    steps,
    checks,
    ages: actionAges({ home: site, rendered, runs, ledger, object: watch.object, now }),
    ...objects,
    shortages,
    setAside,
    unfinished,
    schemas,
    well,
  };
}

/** The inputs for the status of one step. */
interface StepInput extends Pick<
  StatusInput,
  'ledger' | 'watch' | 'record' | 'scaled' | 'podFailures' | 'now'
> {
  readonly unread: readonly string[];
  /** The site, which keys depend on. */
  readonly home: Home;
  /** States of the steps before this one. */
  readonly states: ReadonlyMap<string, StepState>;
  /** Job -> why it must run again. */
  readonly again: ReadonlyMap<string, string>;
}

function stepStatus(step: Step, input: StepInput): StepStatus {
  const { id, instance, wave } = step;
  // Kinds that were not read are reported once, not as missing objects.
  const readable = step.objects.filter(({ kind }) => !input.unread.includes(kind));
  const live = readable.map((object) => input.watch.object(keyOf(object, input.home)));
  const pods = step.phase === 'roll' ? podsIn(live, input.scaled, input.home) : undefined;
  return {
    id,
    wave,
    ...omitUndefined({ instance }),
    ...judgeStep(step, readable, live, input),
    pods,
  };
}

/** The state of a step; `live` has the live object of each of `readable`. */
function judgeStep(
  step: Step,
  readable: Step['objects'],
  live: readonly (LiveObject | undefined)[],
  { home, ledger, record, scaled, podFailures, states, again, now }: StepInput,
): Pick<StepStatus, 'state' | 'reason'> {
  const reason = step.objects.map(({ metadata }) => again.get(metadata.name)).find(Boolean);
  if (reason !== undefined)
    return { state: 'missing', reason: `must run again, by an apply: ${reason}` };
  if (doneIn(step, ledger) !== undefined) return { state: 'done', reason: '' };
  const before = step.waitsFor.filter(
    (other) => states.get(other) !== 'done' && states.get(other) !== 'deferred',
  );
  if (record.state !== 'good' && isEarlier(readable, live)) {
    const earlier = 'an earlier revision is still running';
    return before.length > 0
      ? { state: 'waiting', reason: `waits for ${before.join(', ')}; ${earlier}` }
      : { state: 'missing', reason: earlier };
  }
  const found = live.flatMap((object) =>
    object === undefined ? [] : [judged(object, podFailures.get(keyOf(object, home)), now)],
  );
  const failed =
    found.find(({ state }) => state === 'failed') ??
    step.objects
      .map((object) => scaled.get(keyOf(object, home)))
      .find((each) => each !== undefined);
  if (failed !== undefined) return { state: 'failed', reason: failed.reason };
  const moving = found.find(({ state }) => state === 'progressing');
  if (moving !== undefined) return { state: 'progressing', reason: moving.reason };
  if (found.length === readable.length && (readable.length > 0 || before.length === 0))
    return {
      state: 'done',
      reason: found.map((each) => each.reason).find((text) => text !== '') ?? '',
    };
  if (step.phase === 'contract' && record.state === 'good')
    return { state: 'deferred', reason: 'until the release is confirmed with --contract' };
  if (before.length > 0) return { state: 'waiting', reason: `waits for ${before.join(', ')}` };
  return {
    state: 'missing',
    reason: `${missingOf(readable, live, home).join(', ')} does not exist`,
  };
}

/** Whether a live object is of an earlier revision; Jobs have a name of their own in each. */
function isEarlier(objects: Step['objects'], live: readonly (LiveObject | undefined)[]): boolean {
  return objects.some((object, index) => {
    const found = live[index];
    return found !== undefined && found.kind !== 'Job' && !matchesRevision(found, object);
  });
}

function judged(
  object: LiveObject,
  { failure, lacks }: ExplainedFailure = {},
  now: number,
): { readonly state: 'done' | 'progressing' | 'failed'; readonly reason: string } {
  const assessment = assess(object);
  if (assessment.state === 'done') return { state: 'done', reason: overdueText(object, now) };
  const reason = failureText(assessment, failure, lacks);
  return {
    state:
      assessment.state === 'failed' ||
      (failure !== undefined && failure.broken && object.kind !== 'Job')
        ? 'failed'
        : 'progressing',
    reason,
  };
}

interface PodCounts {
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly numberReady?: number;
  readonly desiredNumberScheduled?: number;
}

function podsIn(
  objects: readonly (LiveObject | undefined)[],
  scaled: StatusInput['scaled'],
  home: Home,
): { ready: number; wanted: number } {
  const of = objects.map((object) => ({
    spec: (object?.['spec'] ?? {}) as { replicas?: number },
    asked: object === undefined ? undefined : scaled.get(keyOf(object, home))?.wanted,
    status: (object?.['status'] ?? {}) as PodCounts,
  }));
  return {
    ready: of.reduce(
      (sum, { status }) =>
        sum + (status.readyReplicas ?? status.availableReplicas ?? status.numberReady ?? 0),
      0,
    ),
    wanted: of.reduce(
      (sum, { spec, status, asked }) =>
        sum + (asked ?? spec.replicas ?? status.desiredNumberScheduled ?? 0),
      0,
    ),
  };
}

function missingOf(
  objects: Step['objects'],
  live: readonly (LiveObject | undefined)[],
  home: Home,
): ObjectKey[] {
  return objects
    .filter((_, index) => live[index] === undefined)
    .map((object) => keyOf(object, home));
}

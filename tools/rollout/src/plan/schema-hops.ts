import { counted, omitUndefined, shortList } from '#core';
import type { ObjectKey, RenderedSite, Step } from '#site';
import type { LiveState } from '../live/live-state.ts';
import { doneIn, hasJobs } from '../record/done-in.ts';
import { timeAway, type TimeAway } from './time-away.ts';

/** The migrations of an instance that an apply runs. */
export interface SchemaHop {
  readonly instance: string;
  readonly migrations: number;
  /** Changes that the running code may not tolerate: `FILE:LINE VERB OBJECT`. */
  readonly changes: readonly string[];
  /** Whether the release that runs now works with the new schema, so that its pods can stay. */
  readonly compatible: boolean;
  /** Whether that release can be applied again; `deletes` if deleted rows do not come back. */
  readonly rollback: 'yes' | 'deletes' | 'no';
  /** The first steps that change the schema. */
  readonly before: readonly string[];
  /** Running workloads of the earlier release that stop before the migrations. */
  readonly stops: readonly ObjectKey[];
  /** How long these workloads are expected to be away; absent if none stops. */
  readonly away?: TimeAway;
}

/** A planned object, as far as a hop depends on it. */
interface PlannedChange {
  readonly key: ObjectKey;
  readonly action: string;
  readonly step?: string;
}

/** Maximum number of changes in a line. */
const MOST = 3;

/**
 * Compares the migrations of a rendered site with the last successful revision. Instances whose
 * migrations ran already, and those of a record without migrations, are left out.
 */
export function schemaHops(
  { schemas = {}, steps }: RenderedSite,
  { records, ledger }: Pick<LiveState, 'records' | 'ledger'>,
  planned: readonly PlannedChange[],
): readonly SchemaHop[] {
  // An unchanged workload already runs the new code, after a run that failed later.
  const changed = new Set(
    planned
      .filter(({ action }) => action === 'update' || action === 'replace')
      .map(({ key }) => key),
  );
  const running = records.findLast(({ state }) => state === 'good')?.schemas ?? {};
  return Object.entries(schemas).flatMap(([instance, { revisions, users }]): SchemaHop[] => {
    const known = running[instance];
    const pending = steps.filter(
      (step) =>
        step.instance === instance &&
        (step.phase === 'expand' || step.phase === 'migrate') &&
        doneIn(step, ledger) === undefined,
    );
    if (known === undefined || pending.length === 0) return [];
    const added = Object.entries(revisions).filter(([id]) => known[id] === undefined);
    if (added.length === 0) return [];
    const changes = added.flatMap(([, { file, changes: all = [] }]) =>
      all.map((change) => ({ ...change, at: `${file}:${change.line}` })),
    );
    const has = (kind: (typeof changes)[number]['class']): boolean =>
      changes.some((change) => change.class === kind);
    const before = firstOf(pending);
    const stops = changes.length === 0 ? [] : users.filter((key) => changed.has(key));
    const away = awayOf(before, stops, { steps, records, ledger, planned });
    return [
      {
        instance,
        migrations: added.length,
        changes: changes.map(({ at, text }) => `${at} ${text}`),
        compatible: changes.length === 0,
        rollback: has('destructive') ? 'no' : has('deleting') ? 'deletes' : 'yes',
        before,
        stops,
        ...omitUndefined({ away }),
      },
    ];
  });
}

function awayOf(
  before: readonly string[],
  stops: readonly ObjectKey[],
  {
    steps,
    records,
    ledger,
    planned,
  }: Pick<LiveState, 'records' | 'ledger'> & {
    readonly steps: readonly Step[];
    readonly planned: readonly PlannedChange[];
  },
): TimeAway | undefined {
  if (stops.length === 0) return undefined;
  const changed = new Set(
    planned.filter(({ action }) => action !== 'unchanged').map(({ step }) => step),
  );
  const until = planned.flatMap(({ key, step }) =>
    step !== undefined && stops.includes(key) ? [step] : [],
  );
  const isOpen = (step: Step): boolean =>
    changed.has(step.id) && (!hasJobs(step) || doneIn(step, ledger) === undefined);
  return timeAway(before, until, { steps, records, isOpen });
}

/** Ids of the steps that do not wait for another of these steps. */
function firstOf(steps: readonly Step[]): string[] {
  const ids = new Set(steps.map(({ id }) => id));
  return steps.filter(({ waitsFor }) => !waitsFor.some((id) => ids.has(id))).map(({ id }) => id);
}

/** Why a workload stops before the migrations. */
export function stopReason({ instance }: SchemaHop): string {
  return `stops before the migrations of ${instance}, because its running code may not work with the new schema`;
}

function timeText({ seconds, estimated }: TimeAway): string {
  const basis =
    estimated.length === 0
      ? 'as in earlier runs'
      : `an estimate: no recorded run has the duration of ${shortList(estimated, MOST)}`;
  return `about ${seconds} s (${basis})`;
}

/** The line of a plan about an instance's migrations. */
export function schemaHopText({
  instance,
  migrations,
  changes,
  compatible,
  rollback,
  away,
}: SchemaHop): string {
  const many = `${instance} runs ${counted(migrations, 'migration')}`;
  if (compatible) return `${many}: running pods and a rollback work with the new schema`;
  const back = {
    yes: 'a rollback is possible until you apply with --contract',
    deletes:
      'a rollback is possible until you apply with --contract, but deleted rows do not come back',
    no: 'a rollback is impossible without a backup',
  }[rollback];
  const time = away === undefined ? '' : ` for ${timeText(away)}`;
  return `${many}: its running pods stop first${time}, and ${back}: ${shortList(changes, MOST)}`;
}

import { keyOf, type Home, type ObjectKey, type RenderedSite, type Step } from '#site';
import type { DataIds } from './data-ids.ts';
import { hasJobs } from './done-in.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';

/** Jobs in the ledger whose results are gone with the data that they depend on. */
export interface Outdated {
  readonly jobs: readonly string[];
  /** Such as `the data of StatefulSet/mariadb is new`. */
  readonly reason: string;
}

/** A run of an action, as the list of runs has it. */
interface Run {
  readonly run: number;
  readonly action: string;
  readonly state: string;
  readonly startedAt: string;
  readonly endedAt?: string;
}

/** Facts about the data of a site's StatefulSets. */
export interface DataFacts {
  /** The site, which keys depend on. */
  readonly home: Home;
  readonly ids: DataIds;
  readonly runs: readonly Run[];
}

/**
 * The Jobs that must run again because a StatefulSet that their step waits for has other data than
 * in their run: its id differs, or an action has replaced the data since. An unfinished run of such
 * an action counts too: its Job continues in the cluster if ccp is killed. Data without an id is
 * the same as before.
 */
export function outdatedJobs(
  { steps, actions }: Pick<RenderedSite, 'steps' | 'actions'>,
  ledger: Ledger,
  { home, ids, runs }: DataFacts,
): readonly Outdated[] {
  const last = (id: string): Run | undefined =>
    runs.findLast(({ action, state }) => action === id && state !== 'failed');
  const byReason = new Map<string, Set<string>>();
  const mark = (key: ObjectKey, reason: string, is: (entry: LedgerEntry) => boolean): void => {
    const jobs = dependents(steps, key, home).flatMap((step) =>
      step.objects.map(({ metadata }) => metadata.name),
    );
    for (const job of jobs.filter((name) => ledger[name] !== undefined && is(ledger[name])))
      byReason.set(reason, (byReason.get(reason) ?? new Set()).add(job));
  };
  for (const [key, id] of ids)
    mark(key, `the data of ${key} is new`, ({ data }) => (data?.[key] ?? id) !== id);
  for (const { id, replaces } of actions) {
    const run = replaces === undefined ? undefined : last(id);
    if (run === undefined) continue;
    const { endedAt, startedAt } = run;
    mark(
      replaces!,
      `${id} ${endedAt === undefined ? 'may have' : 'has'} replaced the data of ${replaces} in run ${run.run}`,
      ({ at }) => at < (endedAt ?? startedAt),
    );
  }
  return [...byReason].map(([reason, jobs]) => ({ reason, jobs: [...jobs].sort() }));
}

/** The StatefulSets that a step waits for, directly or not. */
export function setsBefore(steps: readonly Step[], id: string, home: Home): ReadonlySet<ObjectKey> {
  const before = stepsBefore(steps, id);
  return new Set(
    steps
      .filter((step) => before.has(step.id))
      .flatMap(({ objects }) =>
        objects.filter(({ kind }) => kind === 'StatefulSet').map((object) => keyOf(object, home)),
      ),
  );
}

function dependents(steps: readonly Step[], key: ObjectKey, home: Home): readonly Step[] {
  const own = steps.find(({ objects }) =>
    objects.some((object) => keyOf(object, home) === key),
  )?.id;
  return own === undefined
    ? []
    : steps.filter((step) => hasJobs(step) && stepsBefore(steps, step.id).has(own));
}

function stepsBefore(steps: readonly Step[], id: string): ReadonlySet<string> {
  const waitsFor = new Map(steps.map((step) => [step.id, step.waitsFor]));
  const found = new Set<string>();
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const before of waitsFor.get(next) ?? []) {
      if (found.has(before)) continue;
      found.add(before);
      open.push(before);
    }
  return found;
}

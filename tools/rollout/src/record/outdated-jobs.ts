import { omitUndefined } from '#core';
import { keyOf, type Home, type ObjectKey, type RenderedSite, type Step } from '#site';
import type { DataHeads, DataIds } from './data-ids.ts';
import { hasJobs } from './done-in.ts';
import type { Ledger, LedgerEntry } from './ledger.ts';
import type { RevisionRecord } from './record.ts';
import type { Replacement, Replacements } from './replacements.ts';
import { isSetBack, schemaStates, schemaStateText } from './schema-states.ts';

/** Jobs in the ledger whose results are gone with the data that they depend on. */
export interface Outdated {
  readonly jobs: readonly string[];
  /** Such as `the data of StatefulSet/mariadb is new`. */
  readonly reason: string;
}

/** Facts about the data of a site's StatefulSets. */
export interface DataFacts {
  /** The site, which keys depend on. */
  readonly home: Home;
  readonly ids: DataIds;
  /** Newest migrations in the databases; absent if no server publishes them. */
  readonly heads?: DataHeads;
  readonly replacements: Replacements;
}

/**
 * The Jobs that must run again because a StatefulSet that their step waits for has other data than
 * in their run: its id differs, or an action has replaced the data since. An unfinished run of such
 * an action counts too: its Job continues in the cluster if ccp is killed. Data without an id is
 * the same as before. Jobs that migrated a database run again too if it lacks their migrations, as
 * after a restore without ccp; `records` have the migrations of other releases.
 */
export function outdatedJobs(
  { steps, schemas }: Pick<RenderedSite, 'steps' | 'schemas'>,
  ledger: Ledger,
  { home, ids, replacements, heads = new Map() }: DataFacts,
  records: readonly Pick<RevisionRecord, 'schemas'>[] = [],
): readonly Outdated[] {
  const byReason = new Map<string, Set<string>>();
  const mark = (key: ObjectKey, reason: string, is: (entry: LedgerEntry) => boolean): void => {
    const jobs = dependents(steps, key, home).flatMap((step) =>
      step.objects.map(({ metadata }) => metadata.name),
    );
    for (const job of jobs.filter((name) => ledger[name] !== undefined && is(ledger[name])))
      byReason.set(reason, (byReason.get(reason) ?? new Set()).add(job));
  };
  for (const [key, id] of ids)
    mark(key, `the data of ${key} is new`, (entry) => isOfOtherData(entry, key, id));
  for (const [key, replacement] of replacements) {
    const { action, state, run } = replacement;
    mark(
      key,
      `${action} ${state === 'good' ? 'has' : 'may have'} replaced the data of ${key} in run ${run}`,
      (entry) => isReplaced(entry, key, replacement),
    );
  }
  const states = schemaStates({ steps, ...omitUndefined({ schemas }) }, records, ledger, heads);
  for (const each of states.filter((state) => isSetBack(state, steps, ledger))) {
    const jobs = schemaJobs(steps, each.instance, each.heads === undefined);
    byReason.set(schemaStateText(each), new Set(jobs.filter((name) => ledger[name] !== undefined)));
  }
  return [...byReason].map(([reason, jobs]) => ({ reason, jobs: [...jobs].sort() }));
}

/** The Jobs that migrate an instance's databases, and with `setup` the ones that create them. */
function schemaJobs(steps: readonly Step[], instance: string, setup: boolean): string[] {
  const phases = new Set(['expand', 'migrate', 'contract', ...(setup ? ['setup'] : [])]);
  return steps
    .filter((step) => step.instance === instance && phases.has(step.phase))
    .flatMap(({ objects }) => objects.map(({ metadata }) => metadata.name));
}

/** The part of a ledger whose results still exist, and the schemas that other data came with. */
export interface KeptLedger {
  /** The whole ledger. */
  readonly all: Ledger;
  readonly kept: Ledger;
  /**
   * By step with an entry that is not kept: the newest migrations in the data that is there now;
   * `undefined` if nobody knows them.
   */
  readonly heads: ReadonlyMap<string, readonly string[] | undefined>;
}

/**
 * Splits a ledger by the data that its entries depend on, also entries of other revisions, which
 * have the same steps.
 */
export function keptLedger(
  { steps }: Pick<RenderedSite, 'steps'>,
  all: Ledger,
  { home, ids, replacements }: DataFacts,
): KeptLedger {
  const heads = new Map<string, readonly string[] | undefined>();
  const lost = new Set<string>();
  const lose = (key: ObjectKey, is: (entry: LedgerEntry) => boolean, has?: readonly string[]) => {
    const after = new Set(dependents(steps, key, home).map(({ id }) => id));
    for (const [job, entry] of Object.entries(all)) {
      if (!after.has(entry.step) || !is(entry)) continue;
      lost.add(job);
      heads.set(entry.step, has);
    }
  };
  // New data is empty until an action replaces it.
  for (const [key, id] of ids) lose(key, (entry) => isOfOtherData(entry, key, id), []);
  for (const [key, replacement] of replacements)
    lose(key, (entry) => isReplaced(entry, key, replacement), replacement.heads);
  return {
    all,
    kept: Object.fromEntries(Object.entries(all).filter(([job]) => !lost.has(job))),
    heads,
  };
}

function isOfOtherData({ data }: LedgerEntry, key: ObjectKey, id: string): boolean {
  return (data?.[key] ?? id) !== id;
}

function isReplaced(entry: LedgerEntry, key: ObjectKey, last: Replacement): boolean {
  if (last.state !== 'good') return true;
  // Both were written by a version of ccp that compared their times.
  if (entry.order === undefined && last.unnamedUntil !== undefined)
    return Date.parse(entry.at) < Date.parse(last.unnamedUntil);
  return entry.replaced?.[key] !== last.id;
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

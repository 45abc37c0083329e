import { omitUndefined } from '#core';
import type { ObjectKey, RenderedSite } from '#site';

/** A run of an action, as the list of runs has it. */
export interface DataRun {
  readonly run: number;
  readonly action: string;
  readonly state: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  /** Absent in runs of earlier versions of ccp. */
  readonly replaces?: ObjectKey;
  /** Whether a failed run may have left a part of its changes. */
  readonly incomplete?: true;
  /** Migrations that the data has, by database. */
  readonly schemas?: Readonly<Record<string, readonly string[]>>;
}

/** The last run that replaced the data of a StatefulSet, or that may have begun to. */
export interface Replacement {
  readonly action: string;
  readonly run: number;
  /** Identifies this run; ids can only be compared for equality. */
  readonly id: string;
  readonly state: 'good' | 'running' | 'failed';
  /** End of a run of an earlier version of ccp, whose ledger entries do not name the run. */
  readonly unnamedUntil?: string;
  /** Ids of the newest migrations in the new data; absent if nobody knows them. */
  readonly heads?: readonly string[];
}

/** By StatefulSet. */
export type Replacements = ReadonlyMap<ObjectKey, Replacement>;

/**
 * The last replacement of each StatefulSet's data. Failed runs that changed nothing do not count.
 */
export function replacementsIn(
  { actions }: Pick<RenderedSite, 'actions'>,
  runs: readonly DataRun[],
): Replacements {
  const found = new Map<ObjectKey, Replacement>();
  for (const each of runs) {
    const { run, action, state, startedAt, schemas } = each;
    const replaced = actions.find(({ id }) => id === action)?.replaces;
    if (replaced === undefined || changedNothing(each)) continue;
    found.set(replaced, {
      action,
      run,
      id: `${run} ${startedAt}`,
      state: state as Replacement['state'],
      ...omitUndefined({ unnamedUntil: each.replaces === undefined ? each.endedAt : undefined }),
      ...(schemas === undefined ? {} : { heads: Object.values(schemas).flat() }),
    });
  }
  return found;
}

/** Whether a run of an action that replaces data failed before it changed any. */
export function changedNothing({
  state,
  incomplete,
}: Pick<DataRun, 'state' | 'incomplete'>): boolean {
  return state === 'failed' && incomplete !== true;
}

/** The replacements that are complete, as the ledger notes them. */
export function replacementIds(replacements: Replacements): Readonly<Record<ObjectKey, string>> {
  return Object.fromEntries(
    [...replacements].filter(([, { state }]) => state === 'good').map(([key, { id }]) => [key, id]),
  );
}

/** An action that may have replaced only a part of the data. */
export interface Unfinished {
  readonly action: string;
  readonly text: string;
}

/** The replacements that failed or have not ended. */
export function unfinishedIn(replacements: Replacements): readonly Unfinished[] {
  return [...replacements].flatMap(([key, { action, run, state }]) =>
    state === 'good'
      ? []
      : [
          {
            action,
            text: `${action} ${state === 'failed' ? 'failed' : 'has not ended'} in run ${run}, so the data of ${key} may be incomplete`,
          },
        ],
  );
}

/** The command that runs such an action again. */
export function againText(site: string, { action }: Pick<Unfinished, 'action'>): string {
  return `ccp deploy action run ${site} ${action.replace('/', ' ')}`;
}

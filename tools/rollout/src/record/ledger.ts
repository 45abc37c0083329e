import type { ObjectKey, Step } from '#site';

/**
 * A completed Job. Its name includes the hash of all its inputs, so the same name never needs to
 * run again.
 */
export interface LedgerEntry {
  readonly step: string;
  readonly phase: Step['phase'];
  readonly revision: number;
  /** Image of its first container. */
  readonly image: string;
  /** RFC 3339. */
  readonly at: string;
  /** Ids of the data that it depends on, by StatefulSet. */
  readonly data?: Readonly<Record<ObjectKey, string>>;
}

/** Done Jobs by name. */
export type Ledger = Readonly<Record<string, LedgerEntry>>;

/**
 * Phases whose Jobs apply settings, so that only the last run is valid. Jobs of schema phases are
 * valid forever.
 */
export const SETTING_PHASES: ReadonlySet<LedgerEntry['phase']> = new Set<LedgerEntry['phase']>([
  'bootstrap',
  'setup',
  'post',
]);

/**
 * Whether another version of a Job in the ledger ran since and applied other values, for example a
 * newer password.
 */
export function isOvertaken(ledger: Ledger, job: string): boolean {
  const entry = ledger[job];
  if (entry === undefined || !SETTING_PHASES.has(entry.phase)) return false;
  return Object.values(ledger).some(
    ({ step, at, revision }) =>
      step === entry.step &&
      (revision > entry.revision || (revision === entry.revision && at > entry.at)),
  );
}

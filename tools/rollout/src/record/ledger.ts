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
  /** RFC 3339, by the clock of the machine that ran ccp: for people, never compared. */
  readonly at: string;
  /** Number of the entry in the order of writing; entries of earlier versions of ccp have none. */
  readonly order?: number;
  /** Ids of the data that it depends on, by StatefulSet. */
  readonly data?: Readonly<Record<ObjectKey, string>>;
  /** Ids of the last runs that replaced the data that it depends on, by StatefulSet. */
  readonly replaced?: Readonly<Record<ObjectKey, string>>;
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
    (other) =>
      other.step === entry.step &&
      (other.revision > entry.revision ||
        (other.revision === entry.revision && orderOf(other) > orderOf(entry))),
  );
}

/** The place of an entry in the order of writing. */
export function orderOf({ order = 0 }: Pick<LedgerEntry, 'order'>): number {
  return order;
}

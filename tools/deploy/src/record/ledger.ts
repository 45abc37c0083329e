import type { Step } from '../types.ts';

/** A Job that ended well; its name holds the hash of everything it ran with, so the same name need never run again. */
export interface LedgerEntry {
  readonly step: string;
  readonly phase: Step['phase'];
  readonly revision: number;
  /** Image of its first container. */
  readonly image: string;
  /** RFC 3339. */
  readonly at: string;
}

/** Done Jobs by name. */
export type Ledger = Readonly<Record<string, LedgerEntry>>;

/** Phases whose Jobs set what is, so that the last one that ran counts; those of a schema's phases count once and for all. */
export const SETTING: ReadonlySet<LedgerEntry['phase']> = new Set<LedgerEntry['phase']>(['bootstrap', 'setup', 'post']);

/** Whether another form of a Job that is in the ledger ran since and set other values, as a password of another generation. */
export function isOvertaken(ledger: Ledger, job: string): boolean {
  const entry = ledger[job];
  if (entry === undefined || !SETTING.has(entry.phase)) return false;
  return Object.values(ledger).some(
    ({ step, at, revision }) => step === entry.step && (revision > entry.revision || (revision === entry.revision && at > entry.at)),
  );
}

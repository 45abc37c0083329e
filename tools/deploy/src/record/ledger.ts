import type { Phase } from '#definitions';

/** A Job that ended well; its name holds the hash of everything it ran with, so the same name need never run again. */
export interface LedgerEntry {
  readonly step: string;
  readonly phase: Phase | 'secrets' | 'setup' | 'roll';
  readonly revision: number;
  /** Image of its first container. */
  readonly image: string;
  /** RFC 3339. */
  readonly at: string;
}

/** Done Jobs by name. */
export type Ledger = Readonly<Record<string, LedgerEntry>>;

import type { SchemaRevisions } from '#site';
import type { SeriesHop } from './series-hop.ts';

/** `running` without a lock holder is a killed run. */
export type RevisionState = 'running' | 'good' | 'failed';

/** A revision of a site, without its objects. */
export interface RevisionRecord {
  readonly format: 1;
  readonly site: string;
  readonly revision: number;
  readonly state: RevisionState;
  /** Hash of the rendered objects. */
  readonly content: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly endedAt?: string;
  /** Who ran it: `user@host`. */
  readonly by: string;
  readonly rollbackTo?: number;
  /** Why it failed, a line each. */
  readonly failures?: readonly string[];
  /** Image name -> digest. */
  readonly images: Readonly<Record<string, string>>;
  /** Names of the Secrets its pods need. */
  readonly secrets: readonly string[];
  /**
   * Members of each workload whose pods leave by an action, by object key; a stopped workload keeps
   * its number.
   */
  readonly members?: Readonly<Record<string, number>>;
  /** Migrations by instance, as in `RenderedSite`. */
  readonly schemas?: Readonly<Record<string, SchemaRevisions>>;
  /** Series of its images; absent in records of earlier versions of ccp. */
  readonly series?: string;
  /** The change of series, if the release that ran before is of another. */
  readonly hop?: SeriesHop;
  /** Seconds that steps with work took when they last succeeded, by id. */
  readonly seconds?: Readonly<Record<string, number>>;
  /** Number of ConfigMaps its objects are kept in. */
  readonly parts: number;
}

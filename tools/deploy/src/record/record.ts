/** `running` without a holder of the lock is a run that was killed. */
export type RevisionState = 'running' | 'good' | 'failed';

/** What is known about one revision of a site without reading its objects. */
export interface RevisionRecord {
  readonly format: 1;
  readonly site: string;
  readonly revision: number;
  readonly state: RevisionState;
  /** Hash of what was rendered. */
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
  /** How many members each workload has, by its key, whose pods leave by an action; what is off has those that it had. */
  readonly members?: Readonly<Record<string, number>>;
  /** Number of ConfigMaps its objects are kept in. */
  readonly parts: number;
}

import type { RevisionRecord } from '#rollout';
import type { ManagedResource } from '../resources/types.ts';
import type { OperatorContext, SourcedSite } from './context.ts';
import type { Report } from './write-status.ts';

/** One pass over a resource: what was read at its start. */
export interface Pass {
  readonly context: OperatorContext;
  readonly resource: ManagedResource;
  /** `KIND/NAMESPACE/NAME`. */
  readonly key: string;
  readonly site: SourcedSite;
  readonly records: readonly RevisionRecord[];
  /** Aborts when the resource changes or the operator ends. */
  readonly signal: AbortSignal;
  /** Writes that work has begun, before its first write. */
  readonly begin: (reason: string, message: string) => Promise<void>;
}

/** The result of a pass: its status, and the milliseconds after which another pass is due. */
export interface PassResult {
  readonly report: Report;
  readonly again: number;
  /** One word for metrics. */
  readonly outcome: string;
}

/** Milliseconds between two passes without a change. */
export const RESYNC_MS = 600_000;
/** Milliseconds between two passes while pods start. */
export const PROGRESS_MS = 10_000;
/** Milliseconds until another run is looked at again. */
export const BUSY_MS = 15_000;

import type { Clock, Cluster } from '#ports';
import type { Emit } from '../session/events.ts';
import type { SiteName } from '../session/site-name.ts';
import type { SiteWatch } from '../wait/site-watch.ts';

/** Context of every part of an apply. */
export interface ApplyContext {
  readonly cluster: Cluster;
  readonly site: SiteName;
  readonly clock: Clock;
  readonly emit: Emit;
  /** Aborts on Ctrl-C and when the lock is lost. */
  readonly signal: AbortSignal;
  readonly watch: SiteWatch;
  /** False if the cluster is up to date: nothing is written, only read. */
  readonly writes: boolean;
}

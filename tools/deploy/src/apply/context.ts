import type { Cluster } from '#ports';
import type { SiteName } from '../live/read-live.ts';
import type { SiteWatch } from '../wait/site-watch.ts';
import type { Clock } from './clock.ts';
import type { Emit } from './events.ts';

/** What every part of an apply works with. */
export interface ApplyContext {
  readonly cluster: Cluster;
  readonly site: SiteName;
  readonly clock: Clock;
  readonly emit: Emit;
  /** Aborts on Ctrl-C and when the lock is lost. */
  readonly signal: AbortSignal;
  readonly watch: SiteWatch;
  /** False where the cluster holds all of it already: nothing is written then, only looked at. */
  readonly writes: boolean;
}

import type { Cluster } from '#ports';
import { readRuns } from '../actions/run-store.ts';
import { machineClock, type Clock } from '../apply/clock.ts';
import { lockHolder } from '../apply/lock.ts';
import type { SiteName } from '../live/read-live.ts';
import { exposeKindsOf } from '../live/site-kinds.ts';
import type { ObjectKey } from '../live/object-key.ts';
import type { ConflictRule } from '../plan/conflicts.ts';
import { readLedger } from '../record/ledger-store.ts';
import { readNewest, readNewestRecord, readRendered } from '../record/record-store.ts';
import type { RevisionRecord } from '../record/record.ts';
import type { RenderedSite } from '../types.ts';
import { watchSite, type SiteWatch } from '../wait/site-watch.ts';
import { explainTroubles } from './explain-troubles.ts';
import { lookAtSite } from './look-at-site.ts';
import { scaledByOthers, type Scaled } from './scaled-by-others.ts';
import { siteStatus, type SiteStatus, type StatusInput } from './site-status.ts';

/** A site in a cluster, looked at for as long as it is open. */
export interface OpenStatus {
  /** The newest revision when it was opened, and what that was made of. */
  readonly record: RevisionRecord;
  readonly rendered: RenderedSite;
  /** Looks at all that the revision of the last status makes. */
  readonly watch: SiteWatch;
  /** The status now, of the revision that is the newest then; records, ledger, runs and lock are read anew. Raises `deploy-missing` where the site is gone. */
  now(): Promise<SiteStatus>;
  /** Workloads that others have scaled now. */
  scaled(): Promise<ReadonlyMap<ObjectKey, Scaled>>;
  close(): Promise<void>;
}

/** How a site is looked at: `rules` say which fields are left to others. */
export interface StatusChoices {
  readonly rules?: readonly ConflictRule[];
  readonly clock?: Pick<Clock, 'now'>;
}

/** The status of a site's newest revision, by one look. Raises as `openStatus`. */
export async function statusNow(cluster: Cluster, site: SiteName, { rules = [], clock = machineClock }: StatusChoices = {}): Promise<SiteStatus> {
  const { record, rendered } = await readNewest(cluster, site);
  const [facts, watch] = await Promise.all([factsOf(cluster, site), lookAtSite(cluster, site.namespace, exposeKindsOf(rendered))]);
  const [scaled, troubles] = await Promise.all([scaledByOthers(cluster, site.namespace, rendered, watch, rules), explainTroubles(cluster, rendered, watch)]);
  return siteStatus({ site, cluster: cluster.name, record, rendered, ...facts, watch, scaled, troubles, now: clock.now() });
}

/** Raises `deploy-missing` where the cluster has no revision of the site. */
export async function openStatus(cluster: Cluster, site: SiteName, clock: Clock, { rules = [] }: Pick<StatusChoices, 'rules'> = {}): Promise<OpenStatus> {
  const { record, rendered } = await readNewest(cluster, site);
  let newest = { record, rendered, kinds: exposeKindsOf(rendered) };
  let watch = await watchSite(cluster, site.namespace, clock, newest.kinds);
  const follow = async (latest: RevisionRecord): Promise<void> => {
    if (latest.revision === newest.record.revision && latest.content === newest.record.content) {
      newest = { ...newest, record: latest };
      return;
    }
    const made = await readRendered(cluster, site, latest);
    const kinds = exposeKindsOf(made);
    if (kinds.some((kind) => !newest.kinds.includes(kind))) {
      const before = watch;
      watch = await watchSite(cluster, site.namespace, clock, kinds);
      await before.close();
    }
    newest = { record: latest, rendered: made, kinds };
  };
  const scaled = (): Promise<ReadonlyMap<ObjectKey, Scaled>> => scaledByOthers(cluster, site.namespace, newest.rendered, watch, rules);
  const now = async (): Promise<SiteStatus> => {
    const [latest, facts] = await Promise.all([readNewestRecord(cluster, site), factsOf(cluster, site)]);
    await follow(latest);
    return siteStatus({
      site,
      cluster: cluster.name,
      record: newest.record,
      rendered: newest.rendered,
      ...facts,
      watch,
      scaled: await scaled(),
      troubles: await explainTroubles(cluster, newest.rendered, watch),
      now: clock.now(),
    });
  };
  return {
    record,
    rendered,
    get watch() {
      return watch;
    },
    now,
    scaled,
    close: () => watch.close(),
  };
}

async function factsOf(cluster: Cluster, site: SiteName): Promise<Pick<StatusInput, 'ledger' | 'runs' | 'holder'>> {
  const [ledger, runs, holder] = await Promise.all([readLedger(cluster, site), readRuns(cluster, site), lockHolder(cluster, site)]);
  return { ledger, runs, ...(holder === undefined ? {} : { holder }) };
}

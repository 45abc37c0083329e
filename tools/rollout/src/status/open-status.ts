import { omitUndefined } from '#core';
import { type Clock, type Cluster, type KindRef, systemClock } from '#ports';
import { otherKindsOf, keyOf, renderedNamespaces, type ObjectKey, type RenderedSite } from '#site';
import { readRuns } from '../record/run-store.ts';
import type { ConflictRule } from '../live/conflicts.ts';
import { readPublished } from '../record/data-ids.ts';
import { readLedger } from '../record/ledger-store.ts';
import { outdatedJobs } from '../record/outdated-jobs.ts';
import { replacementsIn } from '../record/replacements.ts';
import { readNewest, readNewestRecord, readRecords, readRendered } from '../record/record-store.ts';
import type { RevisionRecord } from '../record/record.ts';
import { schemaStates } from '../record/schema-states.ts';
import { lockHolder } from '../session/lock.ts';
import type { SiteName } from '../session/site-name.ts';
import { watchSite, type SiteWatch } from '../wait/site-watch.ts';
import { explainPodFailures } from './explain-pod-failures.ts';
import { judgeObjects } from './judge-objects.ts';
import { readMembers } from './read-members.ts';
import { readShortages, readSpreadPods } from './read-shortages.ts';
import { readWorkloads, WORKLOADS } from './read-workloads.ts';
import { scaledByOthers, type Scaled } from './scaled-by-others.ts';
import { setAsideOf } from './set-aside.ts';
import { siteStatus, type SiteStatus, type StatusInput } from './site-status.ts';

/** A site in a cluster, watched until closed. */
export interface OpenStatus {
  /** The newest revision at the time of opening, and its rendered objects. */
  readonly record: RevisionRecord;
  readonly rendered: RenderedSite;
  /** Watches the objects of the revision in the last status, without kinds that it may not read. */
  readonly watch: SiteWatch & { readonly unread: ReadonlySet<string> };
  /**
   * The current status of the newest revision; records, ledger, runs and lock are read again.
   * Throws `deploy-missing` if the site was deleted.
   */
  now(): Promise<SiteStatus>;
  /** Workloads that other managers have scaled. */
  scaled(): Promise<ReadonlyMap<ObjectKey, Scaled>>;
  close(): Promise<void>;
}

/** Options of a status: `rules` name the fields that are left to other managers. */
export interface StatusChoices {
  readonly rules?: readonly ConflictRule[];
  readonly clock?: Pick<Clock, 'now'>;
}

/** The status of a site's newest revision, read once. Throws as `openStatus`. */
export async function statusNow(
  cluster: Cluster,
  site: SiteName,
  { rules = [], clock = systemClock }: StatusChoices = {},
): Promise<SiteStatus> {
  const { record, rendered } = await readNewest(cluster, site);
  const kinds = otherKindsOf(rendered);
  const [facts, watch, others] = await Promise.all([
    factsOf(cluster, site, rendered),
    readWorkloads(cluster, site, renderedNamespaces(rendered, site), kinds),
    readMembers(cluster, site, rendered, [...WORKLOADS, ...kinds]),
  ]);
  const [scaled, podFailures, spread] = await Promise.all([
    scaledByOthers(cluster, site, rendered, watch, rules),
    explainPodFailures(cluster, site, rendered, watch),
    readSpread(cluster, site, rendered, watch),
  ]);
  const members = {
    ...others,
    unread: others.unread.union(watch.unread),
    objects: new Map([
      ...others.objects,
      ...watch.listed.map((live) => [keyOf(live, site), live] as const),
    ]),
  };
  const objects = await judgeObjects(cluster, site, { record, rendered, rules, scaled, members });
  return siteStatus({
    site,
    cluster: cluster.name,
    record,
    rendered,
    ...facts,
    watch,
    scaled,
    objects,
    podFailures,
    ...spread,
    now: clock.now(),
  });
}

/** Throws `deploy-missing` if the cluster has no revision of the site. */
export async function openStatus(
  cluster: Cluster,
  site: SiteName,
  clock: Clock,
  { rules = [] }: Pick<StatusChoices, 'rules'> = {},
): Promise<OpenStatus> {
  const { record, rendered } = await readNewest(cluster, site);
  let newest = { record, rendered, ...watchedOf(rendered, site) };
  let watch = await watchSite(cluster, site, newest.namespaces, clock, [], newest.kinds);
  const follow = async (latest: RevisionRecord): Promise<void> => {
    if (latest.revision === newest.record.revision && latest.content === newest.record.content) {
      newest = { ...newest, record: latest };
      return;
    }
    const made = await readRendered(cluster, site, latest);
    const { kinds, namespaces } = watchedOf(made, site);
    if (
      kinds.some((kind) => !newest.kinds.includes(kind)) ||
      namespaces.some((namespace) => !newest.namespaces.includes(namespace))
    ) {
      const before = watch;
      watch = await watchSite(cluster, site, namespaces, clock, [], kinds);
      await before.close();
    }
    newest = { record: latest, rendered: made, kinds, namespaces };
  };
  const scaled = (): Promise<ReadonlyMap<ObjectKey, Scaled>> =>
    scaledByOthers(cluster, site, newest.rendered, watch, rules);
  const now = async (): Promise<SiteStatus> => {
    await follow(await readNewestRecord(cluster, site));
    const facts = await factsOf(cluster, site, newest.rendered);
    const [others, members, spread] = await Promise.all([
      scaled(),
      readMembers(cluster, site, newest.rendered),
      readSpread(cluster, site, newest.rendered, watch),
    ]);
    return siteStatus({
      site,
      cluster: cluster.name,
      record: newest.record,
      rendered: newest.rendered,
      ...facts,
      watch,
      scaled: others,
      ...spread,
      objects: await judgeObjects(cluster, site, {
        record: newest.record,
        rendered: newest.rendered,
        rules,
        scaled: others,
        members: { ...members, unread: members.unread.union(watch.unread) },
      }),
      podFailures: await explainPodFailures(cluster, site, newest.rendered, watch),
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

/** The kinds and namespaces that a status watches. */
function watchedOf(
  rendered: RenderedSite,
  site: SiteName,
): { readonly kinds: readonly KindRef[]; readonly namespaces: readonly string[] } {
  return { kinds: otherKindsOf(rendered), namespaces: renderedNamespaces(rendered, site) };
}

async function factsOf(
  cluster: Cluster,
  site: SiteName,
  rendered: RenderedSite,
): Promise<
  Pick<StatusInput, 'ledger' | 'runs' | 'holder' | 'outdated' | 'replacements' | 'schemas'>
> {
  const [ledger, runs, holder, published, records] = await Promise.all([
    readLedger(cluster, site),
    readRuns(cluster, site),
    lockHolder(cluster, site),
    readPublished(cluster, site, rendered),
    rendered.schemas === undefined ? [] : readRecords(cluster, site),
  ]);
  const replacements = replacementsIn(rendered, runs);
  const data = { home: site, ...published, replacements };
  const outdated = outdatedJobs(rendered, ledger, data, records);
  const schemas = schemaStates(rendered, records, ledger, published.heads);
  return { ledger, runs, outdated, replacements, schemas, ...omitUndefined({ holder }) };
}

/** The facts about members that are spread over nodes. */
async function readSpread(
  cluster: Cluster,
  site: SiteName,
  rendered: RenderedSite,
  watch: Pick<SiteWatch, 'object'>,
): Promise<Pick<StatusInput, 'shortages' | 'setAside'>> {
  const pods = await readSpreadPods(cluster, rendered);
  return {
    shortages: await readShortages(cluster, site, rendered, watch, pods),
    setAside: setAsideOf(pods),
  };
}

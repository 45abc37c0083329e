import { canonicalJson, codeOf, type Json, omitUndefined } from '#core';
import { asKind, type Cluster, type KubernetesObject, type LiveObject } from '#ports';
import {
  applySetId,
  EXPOSE_KINDS,
  groupKind,
  isApplySet,
  keyOf,
  objectsOf,
  refOf,
  renderedNamespaces,
  SITE_KINDS,
  type Home,
  type ObjectKey,
  type RenderedSite,
} from '#site';
import { readLedger } from '../record/ledger-store.ts';
import { readDataFacts } from '../record/read-data-facts.ts';
import type { Ledger } from '../record/ledger.ts';
import { outdatedJobs } from '../record/outdated-jobs.ts';
import { schemaStates } from '../record/schema-states.ts';
import { readRecords } from '../record/record-store.ts';
import type { SiteName } from '../session/site-name.ts';
import { addedFields, type AddedField } from './added-fields.ts';
import { kindsOf, namespacesOf, withKindsOf } from './apply-set.ts';
import { decideAdditions, type ConflictRule } from './conflicts.ts';
import { each } from './each.ts';
import type { LiveState, Preview } from './live-state.ts';
import { existing, foreignNamespaces, hasOthersAgents } from './namespaces.ts';
import { isForeignNamespace } from './namespace-owner.ts';
import { withLaxerLevel } from './pod-security.ts';
import { autoscaledIn, previewApply } from './preview.ts';
import { refuseOutside } from './refuse-outside.ts';
import { isKnown, refuseUnknownKinds } from './unknown-kinds.ts';
import { withoutManagedFields } from './without-managed-fields.ts';

/** Maximum calls to the API server at the same time. */
const CALLS = 16;

/**
 * Reads a site's state in the cluster and previews the rendered objects. Reads only; of Secrets
 * only their names. Throws `deploy-outside`, `deploy-kind-unknown` and the cluster's errors.
 */
export async function readLive(
  cluster: Cluster,
  site: SiteName,
  rendered: RenderedSite,
  rules: readonly ConflictRule[] = [],
): Promise<LiveState> {
  const all = [...rendered.foundation, ...rendered.steps.flatMap(({ objects }) => objects)];
  refuseOutside(all, site.namespace);
  const known = await cluster.kinds();
  refuseUnknownKinds(all, known, cluster.name);
  const namespace = await cluster.get({
    apiVersion: 'v1',
    kind: 'Namespace',
    name: site.namespace,
  });
  if (namespace === undefined) {
    const foreign = await foreignNamespaces(cluster, all);
    const objects = new Map(foreign.map((object) => [keyOf(object, site), object]));
    return { cluster: cluster.name, home: site, namespaces: [], ...emptyState(), objects };
  }
  const byKey = new Map(all.map((object) => [keyOf(object, site), object]));
  const added = new Map<ObjectKey, readonly AddedField[]>();
  const noted = (object: LiveObject): LiveObject => {
    const key = keyOf(object, site);
    const wanted = byKey.get(key);
    if (wanted !== undefined) added.set(key, addedFields(object, wanted));
    return withoutManagedFields(object);
  };
  const sets = await cluster.list(
    { apiVersion: 'v1', kind: 'ConfigMap' },
    { namespace: site.namespace, labelSelector: `applyset.kubernetes.io/id` },
  );
  const parent = sets.items.find((object) => isApplySet(object, site));
  const named = new Set([...all.map(groupKind), ...kindsOf(parent)]);
  const namespaces = await existing(cluster, site, [
    ...renderedNamespaces(rendered, site),
    ...namespacesOf(parent),
  ]);
  const optional = EXPOSE_KINDS.filter(
    (kind) => named.has(groupKind(kind)) && isKnown(kind, known),
  );
  const labelSelector = `applyset.kubernetes.io/part-of=${applySetId(site)}`;
  const places = [...SITE_KINDS, ...optional].flatMap((kind) =>
    namespaces.map((inside) => ({ kind, selection: { namespace: inside, labelSelector } })),
  );
  const membersOf = async ({ kind, selection }: (typeof places)[number]) =>
    (await cluster.list(kind, selection)).items.map(noted);
  const inNamespaces = async (kind: string): Promise<readonly LiveObject[]> => {
    const lists = await each(namespaces, CALLS, (inside) =>
      cluster.list({ apiVersion: 'v1', kind }, { namespace: inside }),
    );
    return lists.flatMap(({ items }) => items.map(withoutManagedFields));
  };
  const [members, claims, secrets, ledger, records, data] = await Promise.all([
    each(places, CALLS, membersOf),
    inNamespaces('PersistentVolumeClaim'),
    secretNames(cluster, site, namespaces),
    readLedger(cluster, site),
    readRecords(cluster, site),
    readDataFacts(cluster, site, rendered),
  ]);
  const outdated = outdatedJobs(rendered, ledger, data, records);
  const objects = new Map<ObjectKey, LiveObject>(
    members.flat().map((object) => [keyOf(object, site), object]),
  );
  const isInside = ({ metadata }: KubernetesObject): boolean =>
    metadata.namespace === undefined || namespaces.includes(metadata.namespace);
  const others = all.filter((object) => isInside(object) && !objects.has(keyOf(object, site)));
  for (const found of await each(others, CALLS, (object) => cluster.get(refOf(object))))
    if (found !== undefined) objects.set(keyOf(found, site), noted(found));
  const pods = dependsOnPods(rendered, { home: site, objects, secrets })
    ? await inNamespaces('Pod')
    : [];
  const autoscaled = autoscaledIn(cluster);
  const shared =
    sets.items.some(
      ({ metadata }) => metadata.labels?.['applyset.kubernetes.io/id'] !== applySetId(site),
    ) || (await hasOthersAgents(cluster, site, namespace, rendered));
  const widened = withLaxerLevel(
    withKindsOf(rendered, site, members.flat()),
    shared ? namespace : undefined,
  );
  const asked = [...widened.foundation, ...widened.steps.flatMap((step) => step.objects)].filter(
    (object) => isInside(object) && isAsked(object, objects.get(keyOf(object, site)), ledger),
  );
  const previews = await each(asked, CALLS, async (object): Promise<[ObjectKey, Preview]> => {
    const key = keyOf(object, site);
    const preview = await previewApply(cluster, object, objects.get(key), {
      rules,
      autoscaled,
      home: site,
    });
    return [key, { ...preview, added: decideAdditions(key, added.get(key) ?? [], rules) }];
  });
  return {
    cluster: cluster.name,
    home: site,
    namespaces,
    objects,
    previews: new Map(previews),
    pods,
    claims,
    ...omitUndefined({ secrets }),
    ledger,
    data,
    schemas: schemaStates(rendered, records, ledger, data.heads ?? new Map()),
    ...(outdated.length === 0 ? {} : { outdated }),
    records,
  };
}

/** The state of a site whose namespace does not exist. */
function emptyState(): Omit<LiveState, 'cluster' | 'home' | 'namespaces' | 'objects'> {
  return {
    previews: new Map(),
    pods: [],
    claims: [],
    ledger: {},
    records: [],
  };
}

/**
 * Whether the plan depends on pods: they use ConfigMaps that are no longer rendered, or restart
 * because a Secret is missing. Pods are most of a namespace's objects.
 */
function dependsOnPods(
  rendered: RenderedSite,
  {
    home,
    objects,
    secrets,
  }: Pick<LiveState, 'home' | 'objects'> & {
    readonly secrets: LiveState['secrets'] | undefined;
  },
): boolean {
  const wanted = new Set(objectsOf(rendered).map((object) => keyOf(object, home)));
  const isLeft = [...objects].some(([key, { kind }]) => kind === 'ConfigMap' && !wanted.has(key));
  return isLeft || rendered.secrets.some(({ name }) => secrets?.has(`Secret/${name}`) === false);
}

/** Keys of the Secrets of namespaces; `undefined` if this account may not list them. */
export async function secretNames(
  cluster: Cluster,
  home: Home,
  namespaces: readonly string[] = [home.namespace],
): Promise<ReadonlySet<ObjectKey> | undefined> {
  const kind = { apiVersion: 'v1', kind: 'Secret' };
  try {
    const lists = await each(namespaces, CALLS, async (namespace) => {
      const { items } = await cluster.list(kind, { namespace, metadataOnly: true });
      return items.map(({ metadata }) => keyOf({ ...kind, namespace, name: metadata.name }, home));
    });
    return new Set(lists.flat());
  } catch (thrown) {
    if (codeOf(thrown) === 'cluster-denied') return undefined;
    throw thrown;
  }
}

/**
 * Whether an object needs a dry run. Existing or completed Jobs, unchanged immutable ConfigMaps and
 * foreign namespaces never change.
 */
function isAsked(object: KubernetesObject, live: LiveObject | undefined, ledger: Ledger): boolean {
  if (object.kind === 'Job')
    return live === undefined && ledger[object.metadata.name] === undefined;
  if (live !== undefined && isForeignNamespace(live)) return false;
  const [ours, theirs] = [asKind('ConfigMap', object), asKind('ConfigMap', live)];
  if (
    live === undefined ||
    ours.immutable !== true ||
    theirs?.immutable !== true ||
    live.metadata.deletionTimestamp !== undefined
  )
    return true;
  return (
    canonicalJson(object.metadata.labels ?? {}) !== canonicalJson(live.metadata.labels ?? {}) ||
    canonicalJson(ours.data as Json) !== canonicalJson(theirs.data as Json)
  );
}

import { canonicalJson, codeOf, type Json, omitUndefined } from '#core';
import { asKind, type Cluster, type KindRef, type KubernetesObject, type LiveObject } from '#ports';
import {
  applySetId,
  EXPOSE_KINDS,
  groupKind,
  isApplySet,
  keyOf,
  objectsOf,
  refOf,
  SITE_KINDS,
  type ObjectKey,
  type RenderedSite,
} from '#site';
import { readLedger } from '../record/ledger-store.ts';
import { readRuns } from '../actions/run-store.ts';
import { readDataIds } from '../record/data-ids.ts';
import type { Ledger } from '../record/ledger.ts';
import { outdatedJobs } from '../record/outdated-jobs.ts';
import { readRecords } from '../record/record-store.ts';
import type { SiteName } from '../session/site-name.ts';
import { addedFields, type AddedField } from './added-fields.ts';
import { kindsOf, withKindsOf } from './apply-set.ts';
import { decideAdditions, type ConflictRule } from './conflicts.ts';
import { each } from './each.ts';
import type { LiveState, Preview } from './live-state.ts';
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
  if (namespace === undefined) return { cluster: cluster.name, ...emptyState() };
  const inside = { namespace: site.namespace };
  const byKey = new Map(all.map((object) => [keyOf(object), object]));
  const added = new Map<ObjectKey, readonly AddedField[]>();
  const noted = (object: LiveObject): LiveObject => {
    const wanted = byKey.get(keyOf(object));
    if (wanted !== undefined) added.set(keyOf(object), addedFields(object, wanted));
    return withoutManagedFields(object);
  };
  const sets = await cluster.list(
    { apiVersion: 'v1', kind: 'ConfigMap' },
    { ...inside, labelSelector: `applyset.kubernetes.io/id` },
  );
  const named = new Set([
    ...all.map(groupKind),
    ...kindsOf(sets.items.find((object) => isApplySet(object, site))),
  ]);
  const optional = EXPOSE_KINDS.filter(
    (kind) => named.has(groupKind(kind)) && isKnown(kind, known),
  );
  const labelSelector = `applyset.kubernetes.io/part-of=${applySetId(site)}`;
  const membersOf = async (kind: KindRef) =>
    (await cluster.list(kind, { ...inside, labelSelector })).items.map(noted);
  const inNamespace = async (kind: string) =>
    (await cluster.list({ apiVersion: 'v1', kind }, inside)).items.map(withoutManagedFields);
  const [members, claims, secrets, ledger, records, ids, runs] = await Promise.all([
    each([...SITE_KINDS, ...optional], CALLS, membersOf),
    inNamespace('PersistentVolumeClaim'),
    secretNames(cluster, site.namespace),
    readLedger(cluster, site),
    readRecords(cluster, site),
    readDataIds(cluster, site.namespace, rendered),
    readRuns(cluster, site),
  ]);
  const outdated = outdatedJobs(rendered, ledger, { ids, runs });
  const objects = new Map<ObjectKey, LiveObject>(
    members.flat().map((object) => [keyOf(object), object]),
  );
  const others = all.filter((object) => !objects.has(keyOf(object)));
  for (const found of await each(others, CALLS, (object) => cluster.get(refOf(object))))
    if (found !== undefined) objects.set(keyOf(found), noted(found));
  const pods = dependsOnPods(rendered, objects, secrets) ? await inNamespace('Pod') : [];
  const autoscaled = autoscaledIn(cluster, site.namespace);
  const shared = sets.items.some(
    ({ metadata }) => metadata.labels?.['applyset.kubernetes.io/id'] !== applySetId(site),
  );
  const widened = withLaxerLevel(
    withKindsOf(rendered, site, members.flat()),
    shared ? namespace : undefined,
  );
  const asked = [...widened.foundation, ...widened.steps.flatMap((step) => step.objects)].filter(
    (object) => isAsked(object, objects.get(keyOf(object)), ledger),
  );
  const previews = await each(asked, CALLS, async (object): Promise<[ObjectKey, Preview]> => [
    keyOf(object),
    {
      ...(await previewApply(cluster, object, objects.get(keyOf(object)), rules, autoscaled)),
      added: decideAdditions(object, added.get(keyOf(object)) ?? [], rules),
    },
  ]);
  return {
    cluster: cluster.name,
    objects,
    previews: new Map(previews),
    pods,
    claims,
    ...omitUndefined({ secrets }),
    ledger,
    ...(outdated.length === 0 ? {} : { outdated }),
    records,
  };
}

/** The state of a namespace that does not exist. */
function emptyState(): Omit<LiveState, 'cluster'> {
  return {
    objects: new Map(),
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
  objects: LiveState['objects'],
  secrets: LiveState['secrets'],
): boolean {
  const wanted = new Set(objectsOf(rendered).map(keyOf));
  const isLeft = [...objects].some(([key, { kind }]) => kind === 'ConfigMap' && !wanted.has(key));
  return isLeft || rendered.secrets.some(({ name }) => secrets?.has(name) === false);
}

/** Names of a namespace's Secrets; `undefined` if this account may not list them. */
export async function secretNames(
  cluster: Cluster,
  namespace: string,
): Promise<ReadonlySet<string> | undefined> {
  try {
    const { items } = await cluster.list(
      { apiVersion: 'v1', kind: 'Secret' },
      { namespace, metadataOnly: true },
    );
    return new Set(items.map(({ metadata }) => metadata.name));
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

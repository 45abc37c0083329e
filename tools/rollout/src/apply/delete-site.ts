import { omitUndefined } from '#core';
import type { Cluster, LiveObject, ObjectRef } from '#ports';
import {
  ACTION_LABEL,
  FIELD_MANAGER,
  keyOf,
  kindOfKey,
  objectsOf,
  refOf,
  refOfKey,
  renderedNamespaces,
  type ObjectKey,
  type RenderedSite,
} from '#site';
import { each } from '../live/each.ts';
import { isForeignNamespace } from '../live/namespace-owner.ts';
import { readLive } from '../live/read-live.ts';
import { planPrune } from '../plan/prune.ts';
import type { PrunedObject } from '../plan/types.ts';
import { readRendered } from '../record/record-store.ts';
import { guardedCluster } from '../session/guarded-cluster.ts';
import { takeLock } from '../session/lock.ts';
import { lockOptions } from '../session/run-options.ts';
import type { SiteName } from '../session/site-name.ts';
import type { StepFailure } from '../session/step-failure.ts';
import { samePart } from '../wait/pod.ts';
import { watchSite } from '../wait/site-watch.ts';
import type { ApplyOptions } from './apply-site.ts';
import { removeObject, WITH_PODS } from './write-object.ts';

/** Deletions at the same time. */
const CALLS = 8;
const SECRET = { apiVersion: 'v1', kind: 'Secret' };
const PART_OF = 'app.kubernetes.io/part-of';

/** The objects that a deletion removes and keeps. */
export interface Deletion {
  /** Members in the order of deletion. */
  readonly members: readonly PrunedObject[];
  readonly claims: readonly LiveObject[];
  /** Keys of the Secrets that were made for the site. */
  readonly secrets: readonly ObjectKey[];
  /** The namespaces that ccp created: they stay, with their labels. */
  readonly namespaces: readonly ObjectKey[];
}

const NOTHING: RenderedSite = { foundation: [], steps: [], secrets: [], actions: [] };

/** The objects of a site that can be deleted. Reads only. */
export async function planDeletion(cluster: Cluster, site: SiteName): Promise<Deletion> {
  const live = await readLive(cluster, site, NOTHING);
  const { prune } = planPrune(NOTHING, { ...live, pods: [] }, new Set());
  const renders = await Promise.all(
    live.records.map((record) => readRendered(cluster, site, record).catch(() => NOTHING)),
  );
  const namespaces = [
    ...new Set([
      ...live.namespaces,
      ...renders.flatMap((rendered) => renderedNamespaces(rendered, site)),
    ]),
  ];
  // An earlier deletion may have kept them and deleted the records that name them.
  const labelled =
    live.secrets === undefined
      ? []
      : await each(namespaces, CALLS, async (namespace) =>
          (
            await cluster.list(SECRET, {
              namespace,
              labelSelector: `${PART_OF}=${site.name}`,
              metadataOnly: true,
            })
          ).items.map(({ metadata: { name } }) => keyOf({ ...SECRET, namespace, name }, site)),
        );
  const runs = await cluster.list(
    { apiVersion: 'batch/v1', kind: 'Job' },
    { namespace: site.namespace, labelSelector: `${ACTION_LABEL}=${site.name}` },
  );
  const sets = renders.flatMap(objectsOf).filter(({ kind }) => kind === 'StatefulSet');
  const found = await each(namespaces, CALLS, (name) =>
    cluster.get({ apiVersion: 'v1', kind: 'Namespace', name }),
  );
  return {
    namespaces: found.flatMap((namespace) =>
      namespace === undefined || isForeignNamespace(namespace) ? [] : [keyOf(namespace, site)],
    ),
    members: [
      ...runs.items.map((job) => ({
        key: keyOf(job, site),
        apiVersion: job.apiVersion,
        uid: job.metadata.uid,
        reason: 'ran an action',
      })),
      ...prune,
    ],
    claims: live.claims.filter(
      (claim) =>
        claim.metadata.labels?.[PART_OF] === site.name || sets.some((set) => samePart(set, claim)),
    ),
    secrets: [
      ...new Set([
        ...live.records
          .flatMap((record) => record.secrets.map((name) => `Secret/${name}`))
          .filter((key) => live.secrets?.has(key) !== false),
        ...labelled.flat(),
      ]),
    ].sort(),
  };
}

/**
 * Deletes a site under its lock: workloads with their pods first, then the objects they use,
 * records and ledger last, so that a killed run can be repeated. Claims and Secrets are kept unless
 * requested. Namespaces are always kept, and reported if ccp created them. Throws the errors of the
 * lock.
 */
export async function deleteSite(
  cluster: Cluster,
  site: SiteName,
  options: Omit<ApplyOptions, 'approved'> & { readonly claims: boolean; readonly secrets: boolean },
): Promise<{ readonly failures: readonly StepFailure[]; readonly kept: readonly ObjectKey[] }> {
  const { clock, emit } = options;
  const lock = await takeLock(cluster, site, {
    ...lockOptions(options),
    ...omitUndefined({ signal: options.signal }),
  });
  const signal = AbortSignal.any([
    lock.signal,
    ...(options.signal === undefined ? [] : [options.signal]),
  ]);
  const guarded = guardedCluster(cluster, () => lock.assertHeld());
  const watch = await watchSite(guarded, site, [site.namespace], clock);
  try {
    const context = { cluster: guarded, site, clock, emit, signal, watch, writes: true };
    const { members, claims, secrets, namespaces } = await planDeletion(guarded, site);
    const failures: StepFailure[] = [];
    const remove = async (ref: ObjectRef, uid: string): Promise<void> => {
      const failure = await removeObject(ref, uid, context, 'go');
      if (failure === undefined) emit({ type: 'written', key: keyOf(ref, site), action: 'prune' });
      else failures.push(failure);
    };
    // Workloads with their pods first, then the objects that they used.
    for (const first of [true, false]) {
      await each(
        members.filter(({ key }) => WITH_PODS.has(kindOfKey(key)) === first),
        CALLS,
        async ({ key, apiVersion, uid }) => {
          if (!signal.aborted) await remove(refOfKey(key, apiVersion, site), uid);
        },
      );
    }
    const kept = [
      ...(options.claims ? [] : claims.map((claim) => keyOf(claim, site))),
      ...(options.secrets ? [] : secrets),
      ...namespaces,
    ];
    if (lock.signal.aborted) await lock.assertHeld();
    if (failures.length > 0 || signal.aborted) return { failures, kept };
    for (const claim of claims) {
      if (options.claims) await remove(refOf(claim), claim.metadata.uid);
      else await markClaim(guarded, site, claim);
    }
    if (options.secrets) for (const key of secrets) await guarded.delete(refOfKey(key, 'v1', site));
    const own = await guarded.list(
      { apiVersion: 'v1', kind: 'ConfigMap' },
      {
        namespace: site.namespace,
        labelSelector: `${PART_OF}=${site.name},app.kubernetes.io/managed-by=ccp`,
      },
    );
    const isRecord = ({ metadata }: LiveObject): boolean =>
      metadata.name.startsWith(`ccp-${site.name}-revision-`);
    for (const object of [...own.items].sort((x, y) => Number(isRecord(x)) - Number(isRecord(y))))
      await guarded.delete(refOf(object));
    return { failures, kept };
  } finally {
    await watch.close();
    await lock.release();
  }
}

/** Labels a kept claim with its site, so that a later deletion finds it without the records. */
async function markClaim(
  cluster: Cluster,
  site: SiteName,
  { apiVersion, kind, metadata }: LiveObject,
): Promise<void> {
  if (metadata.labels?.[PART_OF] === site.name) return;
  const { name, namespace = site.namespace } = metadata;
  await cluster.apply(
    {
      apiVersion,
      kind,
      metadata: { name, namespace, labels: { [PART_OF]: site.name } },
    },
    { fieldManager: FIELD_MANAGER },
  );
}

import { omitUndefined } from '#core';
import { deleteSite, planDeletion } from '#rollout';
import { no, yes } from '../resources/conditions.ts';
import { CONFIRM_DELETION, FINALIZER, OPERATOR_MANAGER } from '../resources/kinds.ts';
import type { ManagedResource } from '../resources/types.ts';
import type { OperatorContext } from './context.ts';
import type { Report } from './write-status.ts';

/** Adds the finalizer; `undefined` if the resource has changed since it was read. */
export async function addFinalizer(
  { cluster }: Pick<OperatorContext, 'cluster'>,
  resource: ManagedResource,
): Promise<ManagedResource | undefined> {
  const { finalizers = [] } = resource.metadata;
  if (finalizers.includes(FINALIZER)) return resource;
  const metadata = { ...resource.metadata, finalizers: [...finalizers, FINALIZER] };
  const written = await cluster.update(
    { ...resource, metadata },
    { fieldManager: OPERATOR_MANAGER },
  );
  return written.outcome === 'updated' ? (written.object as ManagedResource) : undefined;
}

/**
 * Deletes the site of a deleted resource once the annotation confirms it, and lets the resource
 * disappear. Claims and Secrets are kept and named in an event. Resolves with the status of a
 * resource that waits; `undefined` when it is gone. Throws the errors of `deleteSite`.
 */
export async function deleteRelease(
  context: OperatorContext,
  resource: ManagedResource,
  signal: AbortSignal,
): Promise<Report | undefined> {
  const { name, namespace = 'default', annotations = {}, finalizers = [] } = resource.metadata;
  const { cluster, clock, by, run, process, report } = context;
  const site = { name, namespace };
  if (!finalizers.includes(FINALIZER)) return undefined;
  const key = `${resource.kind}/${namespace}/${name}`;
  if (annotations[CONFIRM_DELETION] !== name) {
    const { members, claims, secrets } = await planDeletion(cluster, site);
    const message = `${members.length} objects are deleted, and ${claims.length} claims and ${secrets.length} Secrets are kept, once the resource has the annotation ${CONFIRM_DELETION}=${name}`;
    return {
      ...omitUndefined({ revision: resource.status?.revision }),
      verdicts: {
        Ready: no('DeletionUnconfirmed', message),
        Reconciling: no('DeletionUnconfirmed'),
        Stalled: yes('DeletionUnconfirmed', message),
        UpgradeAvailable: no('Deleted'),
      },
    };
  }
  const { failures, kept } = await deleteSite(cluster, site, {
    by,
    run,
    clock,
    ...omitUndefined({ process }),
    signal,
    emit: (event) => report({ type: 'deploy', resource: key, event }),
    claims: false,
    secrets: false,
  });
  if (failures.length > 0 || signal.aborted) {
    const message = failures.map((failure) => `${failure.key} ${failure.reason}`).join('; ');
    return {
      verdicts: {
        Ready: no('DeletionFailed', message),
        Reconciling: yes('Deleting', message),
        Stalled: no('Deleting'),
        UpgradeAvailable: no('Deleted'),
      },
    };
  }
  report({
    type: 'note',
    resource: key,
    reason: 'Deleted',
    warning: false,
    message: `the site was deleted; kept: ${kept.join(', ') || 'nothing'}`,
  });
  const live = (await cluster.get({ ...resource, ...site })) as ManagedResource | undefined;
  if (live === undefined) return undefined;
  const rest = (live.metadata.finalizers ?? []).filter((each) => each !== FINALIZER);
  await cluster.update(
    { ...live, metadata: { ...live.metadata, finalizers: rest } },
    { fieldManager: OPERATOR_MANAGER },
  );
  return undefined;
}

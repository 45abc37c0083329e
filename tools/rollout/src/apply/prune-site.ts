import { omitUndefined } from '#core';
import type { ObjectRef } from '#ports';
import { FIELD_MANAGER, isApplySet, refOfKey } from '#site';
import type { DeployPlan } from '../plan/types.ts';
import { plainFailure, type StepFailure } from '../session/step-failure.ts';
import { configMapsOf, isFinished, type Pod } from '../wait/pod.ts';
import type { ApplyContext } from './context.ts';
import { removeObject } from './write-object.ts';

/**
 * Deletes the objects that the plan prunes, one by one, with their pods. A ConfigMap that a pod now
 * uses stays. After that the ApplySet names only the remaining kinds.
 */
export async function pruneSite(plan: DeployPlan, context: ApplyContext): Promise<StepFailure[]> {
  const { cluster, site, emit, signal } = context;
  const failures: StepFailure[] = [];
  for (const { key, apiVersion, uid, reason } of plan.prune) {
    if (signal.aborted)
      return [...failures, plainFailure(key, 'was not pruned: the run was cancelled')];
    const ref = refOfKey(key, apiVersion, site);
    if (ref.kind === 'ConfigMap' && (await isMounted(ref, context))) continue;
    const failure = await removeObject(ref, uid, context, 'go');
    if (failure === undefined) emit({ type: 'written', key, action: 'prune', reason });
    else failures.push(failure);
  }
  // Remaining objects must be found again: optional kinds are listed only if the ApplySet names
  // them.
  if (failures.length > 0) return failures;
  const parent = plan.rendered.foundation.find((object) => isApplySet(object, site));
  if (parent !== undefined)
    await cluster.apply(parent, { fieldManager: FIELD_MANAGER, force: true });
  return failures;
}

async function isMounted(
  { name, namespace }: ObjectRef,
  { cluster }: ApplyContext,
): Promise<boolean> {
  const { items } = await cluster.list(
    { apiVersion: 'v1', kind: 'Pod' },
    omitUndefined({ namespace }),
  );
  return (items as readonly Pod[]).some(
    (pod) => !isFinished(pod) && configMapsOf(pod).includes(name),
  );
}

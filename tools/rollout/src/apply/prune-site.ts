import { FIELD_MANAGER, isApplySet } from '#site';
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
    const [kind = '', name = ''] = key.split('/');
    if (kind === 'ConfigMap' && (await isMounted(name, context))) continue;
    const failure = await removeObject(
      { apiVersion, kind, name, namespace: site.namespace },
      uid,
      context,
      'go',
    );
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

async function isMounted(name: string, { cluster, site }: ApplyContext): Promise<boolean> {
  const { items } = await cluster.list(
    { apiVersion: 'v1', kind: 'Pod' },
    { namespace: site.namespace },
  );
  return (items as readonly Pod[]).some(
    (pod) => !isFinished(pod) && configMapsOf(pod).includes(name),
  );
}

import { isApplySet } from '../live/apply-set.ts';
import { FIELD_MANAGER } from '../live/site-kinds.ts';
import type { DeployPlan } from '../plan/types.ts';
import { plainFailure, type StepFailure } from '../wait/failure.ts';
import { configMapsOf, hasEnded, type Pod } from '../wait/pod.ts';
import type { ApplyContext } from './context.ts';
import { removeObject } from './write-object.ts';

/**
 * Deletes what the plan prunes, one after the other, with its pods; a ConfigMap that a pod has come to use meanwhile stays. Once
 * all is gone the ApplySet names only the kinds that are left.
 */
export async function pruneSite(plan: DeployPlan, context: ApplyContext): Promise<StepFailure[]> {
  const { cluster, site, emit, signal } = context;
  const failures: StepFailure[] = [];
  for (const { key, apiVersion, uid, reason } of plan.prune) {
    if (signal.aborted) return [...failures, plainFailure(key, 'was not pruned: the run was cancelled')];
    const [kind = '', name = ''] = key.split('/');
    if (kind === 'ConfigMap' && (await isMounted(name, context))) continue;
    const failure = await removeObject({ apiVersion, kind, name, namespace: site.namespace }, uid, context, 'go');
    if (failure === undefined) emit({ type: 'written', key, action: 'prune', reason });
    else failures.push(failure);
  }
  // What is left must be found again, and kinds that only some sites have are looked for where the ApplySet names them.
  if (failures.length > 0) return failures;
  const parent = plan.rendered.foundation.find((object) => isApplySet(object, site));
  if (parent !== undefined) await cluster.apply(parent, { fieldManager: FIELD_MANAGER, force: true });
  return failures;
}

async function isMounted(name: string, { cluster, site }: ApplyContext): Promise<boolean> {
  const { items } = await cluster.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: site.namespace });
  return (items as readonly Pod[]).some((pod) => !hasEnded(pod) && configMapsOf(pod).includes(name));
}

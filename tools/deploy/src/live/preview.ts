import type { Cluster, KubernetesObject, LiveObject } from '#ports';
import { decideConflicts, withoutLeft, type ConflictRule } from '../plan/conflicts.ts';
import type { Preview } from './live-state.ts';
import { FIELD_MANAGER } from './site-kinds.ts';
import { withoutManagedFields } from './without-managed-fields.ts';

/**
 * Asks the server what applying an object would give, conflicts decided by the rules. `autoscaled` is asked only where another
 * manager has set the replicas.
 */
export async function previewApply(cluster: Cluster, object: KubernetesObject, rules: readonly ConflictRule[], autoscaled: (object: KubernetesObject) => Promise<boolean>): Promise<Preview> {
  const first = await cluster.apply(object, { fieldManager: FIELD_MANAGER, dryRun: true });
  if (first.outcome !== 'conflict') return { desired: object, force: false, conflicts: [], answer: answerOf(first) };
  const scaled = first.conflicts.some(({ field }) => field === '.spec.replicas') && (await autoscaled(object));
  const conflicts = decideConflicts(object, first.conflicts, rules, scaled);
  const desired = withoutLeft(object, conflicts);
  if (conflicts.some(({ policy }) => policy === 'fail')) {
    // A conflict is all that the server tells then: what else differs it says only when it is asked as if nothing stood against it.
    const forced = answerOf(await cluster.apply(desired, { fieldManager: FIELD_MANAGER, dryRun: true, force: true }));
    return { desired: object, force: false, conflicts, answer: { outcome: 'conflict', ...(forced.outcome === 'applied' ? { object: forced.object } : {}) } };
  }
  const force = conflicts.some(({ policy }) => policy === 'take');
  const second = await cluster.apply(desired, { fieldManager: FIELD_MANAGER, dryRun: true, force });
  return { desired, force, conflicts, answer: answerOf(second) };
}

/** Whether an autoscaler of the namespace sets the replicas of a workload; the list is asked for once. */
export function autoscaledIn(cluster: Cluster, namespace: string): (object: KubernetesObject) => Promise<boolean> {
  let autoscalers: Promise<readonly LiveObject[]> | undefined;
  return async (object) => {
    autoscalers ??= cluster.list({ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' }, { namespace }).then(({ items }) => items);
    return (await autoscalers).some((autoscaler) => {
      const { scaleTargetRef: target } = autoscaler['spec'] as { scaleTargetRef?: { kind: string; name: string } };
      return target?.kind === object.kind && target.name === object.metadata.name;
    });
  };
}

function answerOf(outcome: Awaited<ReturnType<Cluster['apply']>>): Preview['answer'] {
  if (outcome.outcome === 'applied') return { ...outcome, object: withoutManagedFields(outcome.object) };
  return outcome.outcome === 'stale' || outcome.outcome === 'conflict' ? { outcome: 'conflict' } : outcome;
}

import type { Cluster, FieldConflict, KubernetesObject, LiveObject } from '#ports';
import { decideConflicts, withoutLeft, type ConflictRule, type DecidedConflict } from '../plan/conflicts.ts';
import { replicasIn } from '../plan/members.ts';
import type { Preview } from './live-state.ts';
import { refOf } from './object-key.ts';
import { replicasOwner } from './replicas-owner.ts';
import { FIELD_MANAGER } from './site-kinds.ts';
import { withoutManagedFields } from './without-managed-fields.ts';

const REPLICAS = '.spec.replicas';

/**
 * Asks the server what applying an object would give, conflicts decided by the rules. `live` is the
 * object as it is; `autoscaled` is asked only where someone else has set the replicas.
 */
export async function previewApply(
  cluster: Cluster,
  object: KubernetesObject,
  live: LiveObject | undefined,
  rules: readonly ConflictRule[],
  autoscaled: (object: KubernetesObject) => Promise<boolean>,
): Promise<Preview> {
  const decide = async (found: readonly FieldConflict[]): Promise<DecidedConflict[]> =>
    decideConflicts(object, found, rules, found.some(({ field }) => field === REPLICAS) && (await autoscaled(object)));
  const first = await cluster.apply(object, { fieldManager: FIELD_MANAGER, dryRun: true });
  // What nobody owns is no conflict, and is set as the site says, unless others are to set it.
  const conflicts =
    first.outcome === 'conflict'
      ? await decide(first.conflicts)
      : (await decide(await unowned(cluster, object, live))).filter(({ policy }) => policy === 'leave');
  if (conflicts.length === 0) return { desired: object, force: false, conflicts, answer: answerOf(first) };
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

/** The replicas of a workload that is there, where they are not what is asked for and nobody owns them. */
async function unowned(cluster: Cluster, object: KubernetesObject, live: LiveObject | undefined): Promise<FieldConflict[]> {
  const [wanted, seen] = [replicasIn(object), replicasIn(live)];
  if (wanted === undefined || seen === undefined || wanted === seen) return [];
  const now = await cluster.get(refOf(object));
  return now === undefined || replicasOwner(now) !== undefined ? [] : [{ manager: 'nobody', field: REPLICAS }];
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

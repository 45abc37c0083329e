import {
  asKind,
  type Cluster,
  type FieldConflict,
  type KubernetesObject,
  type LiveObject,
} from '#ports';
import { FIELD_MANAGER, keyOf, refOf, type Home } from '#site';
import {
  decideConflicts,
  withoutLeft,
  type ConflictRule,
  type DecidedConflict,
} from './conflicts.ts';
import type { Preview } from './live-state.ts';
import { replicasIn } from './replicas-in.ts';
import { replicasOwner } from './replicas-owner.ts';
import { withoutManagedFields } from './without-managed-fields.ts';

const REPLICAS = '.spec.replicas';

/**
 * Previews an apply by dry run, with conflicts decided by the rules. `live` is the current object;
 * `autoscaled` is called only if another manager has set the replicas.
 */
export async function previewApply(
  cluster: Cluster,
  object: KubernetesObject,
  live: LiveObject | undefined,
  {
    rules,
    autoscaled,
    home,
  }: {
    readonly rules: readonly ConflictRule[];
    readonly autoscaled: (object: KubernetesObject) => Promise<boolean>;
    readonly home: Home;
  },
): Promise<Preview> {
  const decide = async (found: readonly FieldConflict[]): Promise<DecidedConflict[]> =>
    decideConflicts(
      keyOf(object, home),
      found,
      rules,
      found.some(({ field }) => field === REPLICAS) && (await autoscaled(object)),
    );
  const first = await cluster.apply(object, { fieldManager: FIELD_MANAGER, dryRun: true });
  // A field without an owner has no conflict and is set by the site, unless it is left to others.
  const conflicts =
    first.outcome === 'conflict'
      ? await decide(first.conflicts)
      : (await decide(await unowned(cluster, object, live))).filter(
          ({ policy }) => policy === 'leave',
        );
  if (conflicts.length === 0)
    return { desired: object, force: false, conflicts, answer: answerOf(first) };
  const desired = withoutLeft(object, conflicts);
  if (conflicts.some(({ policy }) => policy === 'fail')) {
    // With a conflict the server returns nothing else; a forced dry run shows the other changes.
    const forced = answerOf(
      await cluster.apply(desired, { fieldManager: FIELD_MANAGER, dryRun: true, force: true }),
    );
    return {
      desired: object,
      force: false,
      conflicts,
      answer: {
        outcome: 'conflict',
        ...(forced.outcome === 'applied' ? { object: forced.object } : {}),
      },
    };
  }
  const force = conflicts.some(({ policy }) => policy === 'take');
  const second = await cluster.apply(desired, { fieldManager: FIELD_MANAGER, dryRun: true, force });
  return { desired, force, conflicts, answer: answerOf(second) };
}

/**
 * A conflict for the replicas of an existing workload if they differ from the site's and no manager
 * owns them.
 */
async function unowned(
  cluster: Cluster,
  object: KubernetesObject,
  live: LiveObject | undefined,
): Promise<FieldConflict[]> {
  const [wanted, seen] = [replicasIn(object), replicasIn(live)];
  if (wanted === undefined || seen === undefined || wanted === seen) return [];
  const now = await cluster.get(refOf(object));
  return now === undefined || replicasOwner(now) !== undefined
    ? []
    : [{ manager: 'nobody', field: REPLICAS }];
}

/**
 * Whether an autoscaler sets the replicas of a workload; the autoscalers of a namespace are listed
 * once.
 */
export function autoscaledIn(cluster: Cluster): (object: KubernetesObject) => Promise<boolean> {
  const listed = new Map<string, Promise<readonly LiveObject[]>>();
  return async (object) => {
    const { namespace = '' } = object.metadata;
    const autoscalers =
      listed.get(namespace) ??
      cluster
        .list({ apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' }, { namespace })
        .then(({ items }) => items);
    listed.set(namespace, autoscalers);
    return (await autoscalers).some((autoscaler) => {
      const { scaleTargetRef: target } = asKind('HorizontalPodAutoscaler', autoscaler).spec;
      return target?.kind === object.kind && target.name === object.metadata.name;
    });
  };
}

function answerOf(outcome: Awaited<ReturnType<Cluster['apply']>>): Preview['answer'] {
  if (outcome.outcome === 'applied')
    return { ...outcome, object: withoutManagedFields(outcome.object) };
  return outcome.outcome === 'stale' || outcome.outcome === 'conflict'
    ? { outcome: 'conflict' }
    : outcome;
}

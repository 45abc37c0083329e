import { codeOf } from '#core';
import type { Cluster } from '#ports';
import { keyOf, refOf, type ObjectKey } from '../live/object-key.ts';
import { autoscaledIn } from '../live/preview.ts';
import { replicasOwner } from '../live/replicas-owner.ts';
import { FIELD_MANAGER } from '../live/site-kinds.ts';
import { decideConflicts, type ConflictRule } from '../plan/conflicts.ts';
import { replicasIn } from '../plan/members.ts';
import type { RenderedSite } from '../types.ts';
import type { SiteWatch } from '../wait/site-watch.ts';

/** How many pods a revision wants of a workload to which another manager gave another number, and who: `scaled to 0 by kubectl`. */
export interface Scaled {
  readonly wanted: number;
  readonly reason: string;
}

const FIELD = '.spec.replicas';

/**
 * Workloads that have another number of pods than their revision says, since someone else set it; not those of which a rule, or an
 * autoscaler, leaves it to others. Only those whose number differs are asked for anew, with their owners of fields.
 */
export async function scaledByOthers(
  cluster: Cluster,
  namespace: string,
  rendered: RenderedSite,
  watch: Pick<SiteWatch, 'object'>,
  rules: readonly ConflictRule[],
): Promise<ReadonlyMap<ObjectKey, Scaled>> {
  const scaled = new Map<ObjectKey, Scaled>();
  const autoscaled = autoscaledIn(cluster, namespace);
  for (const object of rendered.steps.flatMap(({ objects }) => objects)) {
    const [wanted, seen] = [replicasIn(object), watch.object(keyOf(object))];
    if (wanted === undefined || seen === undefined || replicasIn(seen) === wanted) continue;
    const live = await cluster.get(refOf(seen));
    if (live === undefined || replicasIn(live) === wanted) continue;
    const manager = replicasOwner(live) ?? 'someone else';
    if (manager === FIELD_MANAGER) continue;
    const isAutoscaled = await autoscaled(object).catch((thrown: unknown) => {
      // Who may not ask for autoscalers cannot say that there is none.
      if (codeOf(thrown) === 'cluster-denied') return true;
      throw thrown;
    });
    const [decided] = decideConflicts(object, [{ manager, field: FIELD }], rules, isAutoscaled);
    if (decided?.policy !== 'leave') scaled.set(keyOf(object), { wanted, reason: `scaled to ${replicasIn(live) ?? 1} by ${manager}` });
  }
  return scaled;
}

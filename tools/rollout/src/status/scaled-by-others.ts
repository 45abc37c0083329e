import { codeOf } from '#core';
import type { Cluster } from '#ports';
import { FIELD_MANAGER, keyOf, refOf, type Home, type ObjectKey, type RenderedSite } from '#site';
import { decideConflicts, type ConflictRule } from '../live/conflicts.ts';
import { autoscaledIn } from '../live/preview.ts';
import { replicasIn } from '../live/replicas-in.ts';
import { replicasOwner } from '../live/replicas-owner.ts';
import type { SiteWatch } from '../wait/site-watch.ts';

/**
 * The number of pods that a revision sets for a workload that another manager has scaled, and by
 * whom: `scaled to 0 by kubectl`.
 */
export interface Scaled {
  readonly wanted: number;
  readonly reason: string;
}

const FIELD = '.spec.replicas';

/**
 * Workloads whose number of pods another manager has changed, except workloads that a rule or an
 * autoscaler leaves to others. Only workloads whose number differs are read again, with their
 * managed fields.
 */
export async function scaledByOthers(
  cluster: Cluster,
  home: Home,
  rendered: RenderedSite,
  watch: Pick<SiteWatch, 'object'>,
  rules: readonly ConflictRule[],
): Promise<ReadonlyMap<ObjectKey, Scaled>> {
  const scaled = new Map<ObjectKey, Scaled>();
  const autoscaled = autoscaledIn(cluster);
  for (const object of rendered.steps.flatMap(({ objects }) => objects)) {
    const key = keyOf(object, home);
    const [wanted, seen] = [replicasIn(object), watch.object(key)];
    if (wanted === undefined || seen === undefined || replicasIn(seen) === wanted) continue;
    const live = await cluster.get(refOf(seen));
    if (live === undefined || replicasIn(live) === wanted) continue;
    const manager = replicasOwner(live) ?? 'someone else';
    if (manager === FIELD_MANAGER) continue;
    const isAutoscaled = await autoscaled(object).catch((thrown: unknown) => {
      // Without permission to list autoscalers, assume that one exists.
      if (codeOf(thrown) === 'cluster-denied') return true;
      throw thrown;
    });
    const [decided] = decideConflicts(key, [{ manager, field: FIELD }], rules, isAutoscaled);
    if (decided?.policy !== 'leave')
      scaled.set(key, {
        wanted,
        reason: `scaled to ${replicasIn(live) ?? 1} by ${manager}`,
      });
  }
  return scaled;
}

import { CcpError } from '#core';
import type { Cluster, KubernetesObject, LiveObject } from '#ports';
import { isApplySet, keyOf, objectsOf, type ObjectKey, type RenderedSite } from '#site';
import { addedFields } from '../live/added-fields.ts';
import { decideAdditions, type ConflictRule } from '../live/conflicts.ts';
import { each } from '../live/each.ts';
import { isForeignNamespace } from '../live/namespace-owner.ts';
import { autoscaledIn, previewApply } from '../live/preview.ts';
import { withoutManagedFields } from '../live/without-managed-fields.ts';
import { driftOf } from '../plan/additions.ts';
import { planObject } from '../plan/plan-object.ts';
import type { SiteName } from '../session/site-name.ts';
import { differingFields } from './differing-fields.ts';
import type { Scaled } from './scaled-by-others.ts';

/** An object whose fields differ from the revision, and how many; `diff` shows them. */
export interface DriftedObject {
  readonly key: ObjectKey;
  readonly fields: number;
}

/** The facts from which drift is found. */
interface DriftFacts {
  readonly rendered: RenderedSite;
  /** Existing objects with their managed fields. */
  readonly objects: ReadonlyMap<ObjectKey, LiveObject>;
  readonly rules: readonly ConflictRule[];
  /** Workloads whose scale is reported as a failed step. */
  readonly scaled: ReadonlyMap<ObjectKey, Scaled>;
}

const CALLS = 8;
const REPLICAS = 'spec.replicas';

/**
 * The objects that differ from a rendered site. Objects are compared here first; the server is only
 * asked about objects that seem to differ, by the dry run that a plan makes, since it writes some
 * values in another form. Where a dry run fails, the first result counts.
 */
export async function findDrift(
  cluster: Cluster,
  site: SiteName,
  { rendered, objects, rules, scaled }: DriftFacts,
): Promise<readonly DriftedObject[]> {
  const autoscaled = autoscaledIn(cluster);
  const suspects = objectsOf(rendered).flatMap((object) => {
    const key = keyOf(object, site);
    const live = objects.get(key);
    if (live === undefined || !isJudged(object, live, site)) return [];
    const added = decideAdditions(key, addedFields(live, object), rules);
    const drifted = driftOf({ added }).length;
    if (differingFields(live, object, 'count') + drifted === 0) return [];
    // Without a dry run, a zero that the server drops looks like a removed field.
    return [{ key, object, live, added, found: differingFields(live, object) + drifted }];
  });
  const drifted = await each(
    suspects,
    CALLS,
    async ({ key, object, live, added, found }): Promise<DriftedObject> => {
      const isScaled = scaled.has(key);
      try {
        const preview = await previewApply(cluster, object, live, {
          rules,
          autoscaled,
          home: site,
        });
        const { action, changes } = planObject(object, {
          home: site,
          live: withoutManagedFields(live),
          preview,
        });
        const own = changes.filter(({ path }) => !isScaled || path !== REPLICAS).length;
        const other = action === 'unchanged' || changes.length > 0 ? 0 : 1;
        return { key, fields: own + other + driftOf({ added }).length };
      } catch (thrown) {
        if (!(thrown instanceof CcpError) || thrown.code === 'cancelled') throw thrown;
        return { key, fields: Math.max(0, found - (isScaled ? 1 : 0)) };
      }
    },
  );
  return drifted.filter(({ fields }) => fields > 0);
}

/** Whether an object has fields that only an apply may change. */
function isJudged(object: KubernetesObject, live: LiveObject, site: SiteName): boolean {
  return (
    object.kind !== 'Job' &&
    live.metadata.deletionTimestamp === undefined &&
    !isApplySet(object, site) &&
    !isForeignNamespace(live)
  );
}

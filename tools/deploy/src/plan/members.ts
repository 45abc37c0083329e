import { counted } from '#core';
import type { KubernetesObject, LiveObject } from '#ports';
import type { LiveState } from '../live/live-state.ts';
import type { ObjectKey } from '../live/object-key.ts';
import type { RevisionRecord } from '../record/record.ts';
import type { Step } from '../types.ts';
import { newTogether } from './stop-together.ts';
import type { PlannedObject } from './types.ts';
import { claimTemplates, isUnbound } from './claim-templates.ts';

type Members = NonNullable<RevisionRecord['members']>;

/**
 * A change that pods which leave by an action could not bear, as refused; other plans as they are. Members that are stopped are members
 * still, so what was turned off comes back with as many; and the action that has members leave knows the new Secrets alone, so none that
 * all of them must have may change with it.
 */
export function keepMembers(
  planned: PlannedObject,
  { leave, together }: Pick<Step, 'leave' | 'together'>,
  { objects, records, claims }: Pick<LiveState, 'objects' | 'records' | 'claims'>,
): PlannedObject {
  const to = replicasIn(planned.desired) ?? 0;
  if (leave === undefined || to === 0 || planned.action === 'refused') return planned;
  const live = objects.get(planned.key);
  const from = replicasIn(live) ?? 0;
  const refused = (reason: string, remedy: string): PlannedObject => ({ ...planned, action: 'refused', reason, remedy });
  const members = records.at(-1)?.members?.[planned.key] ?? 0;
  if (from === 0 && to < members && hasData(planned.desired, claims)) {
    return refused(
      `it is off with ${members} members, and ${to} would wait for the others`,
      `apply it with ${counted(members, 'pod')} first, and with ${to} once that is well`,
    );
  }
  const changed = live === undefined ? [] : newTogether(live, planned.desired, together);
  if (from <= to || changed.length === 0) return planned;
  return refused(
    `it would go from ${counted(from, 'pod')} to ${to} with another ${changed.join(', ')} at once, and ${leave} cannot speak to those that run`,
    'apply one after the other: first the number of pods, then the rest',
  );
}

/** How many members each workload has whose pods leave by an action, once `objects` are applied: what is off has those that it had. */
export function membersAfter(
  steps: readonly Step[],
  objects: readonly PlannedObject[],
  { objects: live, records }: Pick<LiveState, 'objects' | 'records'>,
): Members {
  const before = records.at(-1)?.members ?? {};
  const leaving = new Set(steps.filter(({ leave }) => leave !== undefined).map(({ id }) => id));
  const now = objects.flatMap(({ key, step, desired }): (readonly [ObjectKey, number])[] => {
    if (step === undefined || !leaving.has(step)) return [];
    const members = replicasIn(desired) || replicasIn(live.get(key)) || before[key];
    return members === undefined ? [] : [[key, members]];
  });
  return { ...before, ...Object.fromEntries(now) };
}

/** Pods that a workload is to have; `undefined` of what has no number of them. */
export function replicasIn(object: KubernetesObject | undefined): number | undefined {
  return (object?.['spec'] as { readonly replicas?: number } | undefined)?.replicas;
}

/** Whether the first pod of a StatefulSet finds what it kept; one that finds nothing knows no other members. */
function hasData(set: KubernetesObject, claims: readonly LiveObject[]): boolean {
  const first = new Set(claimTemplates(set).map(({ metadata }) => `${metadata.name}-${set.metadata.name}-0`));
  return claims.some((claim) => first.has(claim.metadata.name) && !isUnbound(claim));
}

import { counted } from '#core';
import type { KubernetesObject, LiveObject } from '#ports';
import type { ObjectKey, Step } from '#site';
import type { LiveState } from '../live/live-state.ts';
import { replicasIn } from '../live/replicas-in.ts';
import type { RevisionRecord } from '../record/record.ts';
import { claimTemplates, isUnbound } from './claim-templates.ts';
import { newTogether } from './stop-together.ts';
import type { PlannedObject } from './types.ts';

type Members = NonNullable<RevisionRecord['members']>;

/**
 * Refuses a change that a workload whose pods leave by an action could not survive; returns other
 * plans unchanged. Stopped members are still members, so a stopped workload must start with the
 * same number. The action that removes members uses the new Secrets only, so a Secret that all pods
 * share cannot change at the same time.
 */
export function refuseUnsafeScaleDown(
  planned: PlannedObject,
  { leave, together }: Pick<Step, 'leave' | 'together'>,
  { objects, records, claims }: Pick<LiveState, 'objects' | 'records' | 'claims'>,
): PlannedObject {
  const to = replicasIn(planned.desired) ?? 0;
  if (leave === undefined || to === 0 || planned.action === 'refused') return planned;
  const live = objects.get(planned.key);
  const from = replicasIn(live) ?? 0;
  const refused = (reason: string, remedy: string): PlannedObject => ({
    ...planned,
    action: 'refused',
    reason,
    remedy,
  });
  const members = records.at(-1)?.members?.[planned.key] ?? 0;
  if (from === 0 && to < members && hasData(planned.desired, claims)) {
    return refused(
      `it was stopped with ${members} members, and ${counted(to, 'pod')} would wait at the start for the other ${counted(members - to, 'member')}`,
      `apply it with ${counted(members, 'pod')} first, and with ${to} once those are ready`,
    );
  }
  const changed = live === undefined ? [] : newTogether(live, planned.desired, together);
  if (from <= to || changed.length === 0) return planned;
  return refused(
    `it would be scaled from ${counted(from, 'pod')} to ${to} and get another ${changed.join(', ')} in one apply, and ${leave} cannot reach the running pods`,
    'apply the changes in turn: first the number of pods, then the rest',
  );
}

/**
 * The number of members of each workload whose pods leave by an action, after `objects` are
 * applied. A stopped workload keeps its number.
 */
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

/**
 * Whether the first pod of a StatefulSet has data; without data it does not expect other members.
 */
function hasData(set: KubernetesObject, claims: readonly LiveObject[]): boolean {
  const first = new Set(
    claimTemplates(set).map(({ metadata }) => `${metadata.name}-${set.metadata.name}-0`),
  );
  return claims.some((claim) => first.has(claim.metadata.name) && !isUnbound(claim));
}

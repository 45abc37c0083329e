import { counted } from '#core';
import type { LiveObject } from '#ports';
import type { ObjectKey } from '../live/object-key.ts';
import type { Step } from '../types.ts';
import { replicasIn } from './members.ts';
import type { Leaving, PlannedObject } from './types.ts';

/**
 * What a step's workload leaves by, where it gets fewer pods: the action must run before it is written, or is left out where all pods
 * go, since they come back as the members that they are.
 */
export function leavingOf(
  { id, leave: action }: Pick<Step, 'id' | 'leave'>,
  objects: readonly PlannedObject[],
  live: ReadonlyMap<ObjectKey, LiveObject>,
): Leaving | undefined {
  if (action === undefined) return undefined;
  for (const { key, step, action: done, desired } of objects) {
    const [from, to] = [replicasIn(live.get(key)), replicasIn(desired)];
    if (step === id && done !== 'refused' && from !== undefined && to !== undefined && from > to) return { action, key, from, to };
  }
  return undefined;
}

/** What happens to pods that leave by an action, for people. */
export function leavingText(leaving: Leaving): string {
  const { action, key, from, to } = leaving;
  return to > 0 ? `${action} runs before ${key} goes from ${counted(from, 'pod')} to ${to}` : `${key} ${offText(leaving)}`;
}

/** What becomes of a workload that all pods go of. */
export function offText({ action, from }: Leaving): string {
  return `goes from ${counted(from, 'pod')} to 0, which is off: ${action} does not run, members and claims are kept, and it comes back with ${from}`;
}

import { counted } from '#core';
import type { LiveObject } from '#ports';
import type { ObjectKey, Step } from '#site';
import { replicasIn } from '../live/replicas-in.ts';
import type { Leaving, PlannedObject } from './types.ts';

/**
 * The action by which a step's workload loses pods. It must run before the workload is written. It
 * is skipped if all pods stop, since they start again as the same members.
 */
export function leavingOf(
  { id, leave: action }: Pick<Step, 'id' | 'leave'>,
  objects: readonly PlannedObject[],
  live: ReadonlyMap<ObjectKey, LiveObject>,
): Leaving | undefined {
  if (action === undefined) return undefined;
  for (const { key, step, action: done, desired } of objects) {
    const [from, to] = [replicasIn(live.get(key)), replicasIn(desired)];
    if (step === id && done !== 'refused' && from !== undefined && to !== undefined && from > to)
      return { action, key, from, to };
  }
  return undefined;
}

/** The text about pods that are removed after an action. */
export function leavingText(leaving: Leaving): string {
  const { action, key, from, to } = leaving;
  return to > 0
    ? `${action} runs before ${key} is scaled from ${counted(from, 'pod')} to ${to}`
    : `${key} ${stopText(leaving)}`;
}

/** The text about a workload that is scaled to 0. */
export function stopText({ action, from }: Leaving): string {
  return `is scaled from ${counted(from, 'pod')} to 0, which stops it: ${action} does not run, members and claims are kept, and it must start again with ${from}`;
}

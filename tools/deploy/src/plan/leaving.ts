import type { KubernetesObject, LiveObject } from '#ports';
import type { ObjectKey } from '../live/object-key.ts';
import type { Step } from '../types.ts';
import type { Leaving, PlannedObject } from './types.ts';

/**
 * The action that a step must run before its workload is written, where that gets fewer pods; none where all of them go, because
 * nobody stays who would count those that are gone.
 */
export function leavingOf({ id, leave: action }: Pick<Step, 'id' | 'leave'>, objects: readonly PlannedObject[], live: ReadonlyMap<ObjectKey, LiveObject>): Leaving | undefined {
  if (action === undefined) return undefined;
  for (const { key, step, desired } of objects) {
    const [from, to] = [replicasIn(live.get(key)), replicasIn(desired)];
    if (step === id && from !== undefined && to !== undefined && to > 0 && from > to) return { action, key, from, to };
  }
  return undefined;
}

function replicasIn(object: KubernetesObject | undefined): number | undefined {
  return (object?.['spec'] as { readonly replicas?: number } | undefined)?.replicas;
}

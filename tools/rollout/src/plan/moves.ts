import type { KubernetesObject, LiveObject } from '#ports';
import { keyOf } from '#site';
import type { LiveState } from '../live/live-state.ts';
import { claimTemplates } from './claim-templates.ts';
import type { PlannedObject } from './types.ts';

const MOVED = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);

/**
 * The workloads among `gone` that a step renders in another namespace, each with that namespace.
 * They must be gone with all their pods before the step starts: both would use the same ports,
 * folders and devices of a node.
 */
export function movedIn(
  objects: readonly KubernetesObject[],
  gone: readonly LiveObject[],
): readonly (readonly [LiveObject, string])[] {
  return objects
    .filter(({ kind }) => MOVED.has(kind))
    .flatMap((object) =>
      gone
        .filter((old) => isSameElsewhere(old, object))
        .map((old) => [old, object.metadata.namespace ?? ''] as const),
    );
}

/** Why a workload is deleted before it is created in another namespace. */
export function moveReason(namespace: string): string {
  return `moves to the namespace ${namespace}, where its pods start when these have ended`;
}

/**
 * Refuses a StatefulSet that would leave its claims in another namespace; returns other plans
 * unchanged.
 */
export function refuseMoveOfData(
  planned: PlannedObject,
  { home, objects, claims }: Pick<LiveState, 'home' | 'objects' | 'claims'>,
): PlannedObject {
  const { desired } = planned;
  if (desired.kind !== 'StatefulSet' || planned.action !== 'create') return planned;
  const old = [...objects.values()].find((object) => isSameElsewhere(object, desired));
  const from = old?.metadata.namespace ?? home.namespace;
  const first = claimTemplates(desired).map(
    ({ metadata }) => `${metadata.name}-${desired.metadata.name}-0`,
  );
  const claim = claims.find(
    ({ metadata }) => metadata.namespace === from && first.includes(metadata.name),
  );
  if (claim === undefined || from === desired.metadata.namespace) return planned;
  return {
    ...planned,
    action: 'refused',
    reason: `its data is in ${keyOf(claim, home)} of the namespace ${from}, and claims cannot move to another namespace`,
    remedy: `keep all objects in one namespace: set nodeNamespace: ${home.namespace} in the site`,
  };
}

function isSameElsewhere(one: KubernetesObject, other: KubernetesObject): boolean {
  return (
    one.kind === other.kind &&
    one.metadata.name === other.metadata.name &&
    one.metadata.namespace !== other.metadata.namespace
  );
}

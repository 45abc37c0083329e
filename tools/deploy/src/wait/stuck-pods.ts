import type { LiveObject } from '#ports';
import type { StatefulSetStatus } from './assess-stateful-set.ts';
import { isReady, type Pod } from './pod.ts';
import { podTrouble } from './pod-trouble.ts';

/**
 * Pods of an earlier form of a StatefulSet that are broken while every pod of the wanted form is ready. Its controller waits
 * until they are well before it replaces them, which never comes (kubernetes/kubernetes#67250); deleted, they come back in the
 * wanted form. A pod that only is not ready yet is left alone: its members may be about to join.
 */
export function stuckPods(set: LiveObject, pods: readonly Pod[]): Pod[] {
  const { updateRevision, observedGeneration = 0 } = (set['status'] ?? {}) as StatefulSetStatus;
  if (updateRevision === undefined || observedGeneration < (set.metadata.generation ?? 0)) return [];
  const isWanted = ({ metadata }: Pod): boolean => metadata.labels?.['controller-revision-hash'] === updateRevision;
  if (pods.some((pod) => isWanted(pod) && !isReady(pod))) return [];
  return pods.filter((pod) => {
    if (isWanted(pod) || pod.metadata.deletionTimestamp !== undefined) return false;
    const trouble = podTrouble(pod);
    return trouble !== undefined && trouble.broken;
  });
}

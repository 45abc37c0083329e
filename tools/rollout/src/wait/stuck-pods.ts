import { asKind, type LiveObject } from '#ports';
import { isReady, type Pod } from './pod.ts';
import { podFailure } from './find-pod-failure.ts';

/**
 * Broken pods of an earlier revision of a StatefulSet while every pod of the current revision is
 * ready. Its controller waits until they are ready before it replaces them, which never happens
 * (kubernetes/kubernetes#67250). Deleted, they are created again in the current revision. A pod
 * that is only not ready yet is left alone: it may be about to join.
 */
export function stuckPods(set: LiveObject, pods: readonly Pod[]): Pod[] {
  const { updateRevision, observedGeneration = 0 } = asKind('StatefulSet', set).status ?? {};
  if (updateRevision === undefined || observedGeneration < (set.metadata.generation ?? 0))
    return [];
  const isWanted = ({ metadata }: Pod): boolean =>
    metadata.labels?.['controller-revision-hash'] === updateRevision;
  if (pods.some((pod) => isWanted(pod) && !isReady(pod))) return [];
  return pods.filter((pod) => {
    if (isWanted(pod) || pod.metadata.deletionTimestamp !== undefined) return false;
    const failure = podFailure(pod);
    return failure !== undefined && failure.broken;
  });
}

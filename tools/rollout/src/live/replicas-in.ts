import { asKind, type KubernetesObject } from '#ports';

/** The desired number of pods of a workload; `undefined` for other kinds. */
export function replicasIn(object: KubernetesObject | undefined): number | undefined {
  return asKind('Workload', object)?.spec?.replicas;
}

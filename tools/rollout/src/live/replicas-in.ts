import type { KubernetesObject } from '#ports';

/** The desired number of pods of a workload; `undefined` for other kinds. */
export function replicasIn(object: KubernetesObject | undefined): number | undefined {
  return (object?.['spec'] as { readonly replicas?: number } | undefined)?.replicas;
}

import type { KubernetesObject } from '#ports';
import type { PodSpec } from './kubernetes.ts';

/** The pod that an object of ours runs. */
export interface RenderedPod {
  readonly object: KubernetesObject;
  readonly pod: PodSpec;
  /** Claims of a StatefulSet; they are mounted by name like volumes. */
  readonly claims: readonly string[];
}

/** The pods of the workloads and Jobs among rendered objects, in their order. */
export function podsOf(objects: readonly KubernetesObject[]): RenderedPod[] {
  return objects
    .filter(({ kind }) => ['Deployment', 'StatefulSet', 'DaemonSet', 'Job'].includes(kind))
    .map((object) => {
      const spec = object['spec'] as {
        template: { spec: PodSpec };
        volumeClaimTemplates?: readonly { metadata: { name: string } }[];
      };
      return {
        object,
        pod: spec.template.spec,
        claims: (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata.name),
      };
    });
}

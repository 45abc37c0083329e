import type { KubernetesObject } from '#ports';
import type { PodSpec } from './kubernetes.ts';

/** The pod that an object of ours runs. */
export interface RenderedPod {
  readonly object: KubernetesObject;
  readonly pod: PodSpec;
  /** Claims of a StatefulSet; they are mounted by name like volumes. */
  readonly claims: readonly string[];
}

/** The spec of a workload or Job that we render. */
interface PodOwnerSpec {
  readonly template: { readonly spec: PodSpec };
  readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
}

/** The spec of a rendered workload or Job. */
export function podOwnerSpec(object: KubernetesObject): PodOwnerSpec {
  return (object as unknown as { readonly spec: PodOwnerSpec }).spec;
}

/** The pods of the workloads and Jobs among rendered objects, in their order. */
export function podsOf(objects: readonly KubernetesObject[]): RenderedPod[] {
  return objects
    .filter(({ kind }) => ['Deployment', 'StatefulSet', 'DaemonSet', 'Job'].includes(kind))
    .map((object) => {
      const { template, volumeClaimTemplates = [] } = podOwnerSpec(object);
      return {
        object,
        pod: template.spec,
        claims: volumeClaimTemplates.map(({ metadata }) => metadata.name),
      };
    });
}

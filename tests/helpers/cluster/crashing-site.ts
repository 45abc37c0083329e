import type { KubernetesObject } from '#ports';
import type { RenderedSite } from '#site';

/** The same site with crashing pods of one workload, simulated by the nodes of the test cluster. */
export function crashing(site: RenderedSite, key: string): RenderedSite {
  const crash = (object: KubernetesObject): KubernetesObject => {
    if (`${object.kind}/${object.metadata.name}` !== key) return object;
    const spec = object['spec'] as { template: { metadata: object } };
    return {
      ...object,
      spec: {
        ...spec,
        template: {
          ...spec.template,
          metadata: { ...spec.template.metadata, annotations: { 'test/failure': 'crash' } },
        },
      },
    };
  };
  return {
    ...site,
    steps: site.steps.map((step) => ({ ...step, objects: step.objects.map(crash) })),
  };
}

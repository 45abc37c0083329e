import type { Site } from '#definitions';
import type { Instance } from '../instances.ts';
import type { PlannedStep } from '../steps.ts';
import { publicEndpoints } from './public-endpoints.ts';
import { renderIngress } from './render-ingress.ts';

/** A step for the way to each host, which opens once the workload runs that it leads to. */
export function exposeSteps(site: Site, instances: ReadonlyMap<string, Instance>): PlannedStep[] {
  if (site.expose === undefined) return [];
  return publicEndpoints(site, instances).map((endpoint): PlannedStep => {
    const { instance, name, provision } = endpoint;
    return { id: `${instance.name}/expose/${name}`, instance: instance.name, phase: 'expose', waitsFor: [`${instance.name}/workload/${provision.workload}`], objects: [renderIngress(endpoint, site)], at: site.position(['apps', instance.name, 'hosts', name]) };
  });
}

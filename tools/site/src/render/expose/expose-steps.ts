import type { Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import { publicEndpoints, type PublicEndpoint } from '../../bind/public-endpoints.ts';
import type { Instance } from '../../model/instance.ts';
import type { UnorderedStep } from '../../model/types.ts';
import { renderCertificates } from './render-certificates.ts';
import { renderGateway } from './render-gateway.ts';
import { renderIngress } from './render-ingress.ts';
import { renderRoutes } from './render-route.ts';

/**
 * Steps for the ways to the hosts of a site: `certificate/<secret>` and `gateway`, which nothing waits for, since an issuer may need the
 * Gateway to prove that a host is ours; and `<instance>/expose/<endpoint>`, which opens once the workload runs that it leads to.
 */
export function exposeSteps(site: Site, instances: ReadonlyMap<string, Instance>): UnorderedStep[] {
  const { expose } = site;
  if (expose === undefined) return [];
  const endpoints = publicEndpoints(site, instances);
  const ofSite = (id: string, object: KubernetesObject): UnorderedStep => ({
    id,
    phase: 'expose',
    waitsFor: [],
    render: () => [object],
  });
  const { gateway } = expose;
  return [
    ...renderCertificates(endpoints, site).map((object) =>
      ofSite(`certificate/${object.metadata.name}`, object),
    ),
    ...(gateway?.class === undefined
      ? []
      : [ofSite('gateway', renderGateway({ ...gateway, class: gateway.class }, endpoints, site))]),
    ...endpoints.map((endpoint): UnorderedStep => {
      const { instance, name, provision } = endpoint;
      return {
        id: `${instance.name}/expose/${name}`,
        instance: instance.name,
        phase: 'expose',
        waitsFor: [`${instance.name}/workload/${provision.workload}`],
        render: () => waysTo(endpoint, site),
        at: site.position(['apps', instance.name, 'hosts', name]),
      };
    }),
  ];
}

function waysTo(endpoint: PublicEndpoint, site: Site): KubernetesObject[] {
  const { ingress, gateway } = site.expose!;
  return gateway === undefined
    ? [renderIngress(endpoint, ingress ?? {}, site)]
    : renderRoutes(endpoint, gateway, site);
}

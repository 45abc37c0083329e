import type { Site } from '#definitions';
import type { Work } from '../model/bound.ts';
import type { Instance } from '../model/instance.ts';
import { publicEndpoints } from '../model/public-endpoints.ts';
import type { UnorderedStep } from './order-steps.ts';

/** A step that runs no pod. */
interface ExposeStep extends UnorderedStep {
  readonly work: Work<never>;
}

/**
 * Steps for the public endpoints of a site. Nothing waits for `certificate/<secret>` and `gateway`,
 * since an issuer may need the Gateway to verify a host. `<instance>/expose/<endpoint>` waits for
 * its workload.
 */
export function exposeSteps(site: Site, instances: ReadonlyMap<string, Instance>): ExposeStep[] {
  const { expose } = site;
  if (expose === undefined) return [];
  const endpoints = publicEndpoints(site, instances);
  const ofSite = (id: string, work: Work<never>): ExposeStep => ({
    id,
    phase: 'expose',
    waitsFor: [],
    work,
  });
  const issued = endpoints.flatMap(({ origin, certificate }) =>
    origin.scheme === 'https' && certificate?.issuer !== undefined ? [certificate.secret!] : [],
  );
  const { gateway } = expose;
  return [
    ...[...new Set(issued)]
      .sort()
      .map((secret) => ofSite(`certificate/${secret}`, { kind: 'certificate', secret })),
    ...(gateway?.class === undefined
      ? []
      : [ofSite('gateway', { kind: 'gateway', gateway: { ...gateway, class: gateway.class } })]),
    ...endpoints.map((endpoint): ExposeStep => {
      const { instance, name, provision } = endpoint;
      return {
        id: `${instance.name}/expose/${name}`,
        instance: instance.name,
        phase: 'expose',
        waitsFor: [`${instance.name}/workload/${provision.workload}`],
        work: { kind: 'endpoint', endpoint },
        at: site.position(['apps', instance.name, 'hosts', name]),
      };
    }),
  ];
}

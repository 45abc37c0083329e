import type { Provision, Site } from '#definitions';
import type { Fact, Part } from './facts.ts';
import type { Instance } from '../model/instance.ts';
import { workloadNamespace } from '../model/namespaces.ts';
import { objectName, peersService, replicasOf, serviceHost } from '../model/names.ts';

export function portOf(instance: Instance, provision: Provision): number {
  const containers = Object.values(instance.spec.workloads[provision.workload]!.containers);
  return containers.flatMap((container) => container.ports?.[provision.port ?? ''] ?? [])[0]!.port;
}

/** Name of the SRV record: one entry for each pod, or a single entry for a Deployment. */
export function recordOf(instance: Instance, { workload, port }: Provision, site: Site): string {
  const { service, domain } = hostsOf(instance, workload, site);
  return `_${port ?? ''}._tcp.${instance.spec.workloads[workload]?.kind === 'Deployment' ? service : domain}`;
}

export function endpointOrigin(instance: Instance, provision: Provision, site: Site): string {
  return `${provision.scheme ?? 'http'}://${hostsOf(instance, provision.workload, site).service}:${portOf(instance, provision)}`;
}

export function provisionFacts(
  instance: Instance,
  name: string,
  provision: Provision,
  site: Site,
): Record<string, Fact> {
  if (provision.kind === 'endpoint') return endpointFacts(instance, name, provision, site);
  return provision.kind === 'members'
    ? membersFacts(instance, provision, site)
    : addressFacts(instance, provision, site);
}

export function membersFacts(
  instance: Instance,
  provision: Provision,
  site: Site,
): Record<string, Fact> {
  const before = provision.scheme === undefined ? '' : `${provision.scheme}:`;
  return {
    port: text(portOf(instance, provision)),
    servers: {
      list: hostsOf(instance, provision.workload, site).peers.map(
        (peer) => `${before}${peer}:${portOf(instance, provision)}`,
      ),
    },
  };
}

export function addressFacts(
  instance: Instance,
  provision: Provision,
  site: Site,
): Record<string, Fact> {
  return {
    host: text(hostsOf(instance, provision.workload, site).service),
    port: text(portOf(instance, provision)),
  };
}

export function endpointFacts(
  instance: Instance,
  name: string,
  provision: Provision,
  site: Site,
): Record<string, Fact> {
  const path = provision.path ?? '';
  const url = `${endpointOrigin(instance, provision, site)}${path}`;
  const origin = instance.settings.hosts?.[name];
  return {
    ...addressFacts(instance, provision, site),
    url: text(url),
    'public-url': text(origin === undefined ? url : `${origin}${path}`),
  };
}

export const text = (value: string | number | boolean): readonly Part[] => [
  { text: String(value) },
];

export function hostsOf(
  instance: Instance,
  name: string,
  site: Site,
): { service: string; peers: string[]; replicas: number; domain: string } {
  const workload = instance.spec.workloads[name]!;
  const object = objectName(instance, name);
  const at = {
    namespace: workloadNamespace(site, workload),
    domain: site.cluster.domain ?? 'cluster.local',
  };
  const replicas = workload.kind === 'DaemonSet' ? 0 : replicasOf(instance, name, workload);
  const domain = serviceHost(peersService(object), at);
  const service = serviceHost(object, at);
  const peers =
    workload.kind === 'StatefulSet'
      ? Array.from({ length: replicas }, (_, index) => `${object}-${index}.${domain}`)
      : [service];
  return { service, peers, replicas, domain };
}

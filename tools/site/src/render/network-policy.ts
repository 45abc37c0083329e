import type { NetworkPeer, PortPeers, Site, Workload } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { Instance } from '../model/instance.ts';
import { podLabels, siteLabels } from '../model/labels.ts';
import { siteNamespaces, workloadNamespace } from '../model/namespaces.ts';
import { objectName } from '../model/names.ts';
import { admits, closedPorts, portsOf, usesNodeNetwork } from '../model/workload-ports.ts';
import type { InstanceInput } from './instance-input.ts';
import { instancePeers, sitePeers } from './peers.ts';

/**
 * Allowed sources of each port of a workload: its own instance, consumers, watchers or any source
 * as the port says, and the sources of outside requests for endpoints with a host.
 */
export function renderNetworkPolicy(
  { instance, site }: InstanceInput,
  name: string,
  workload: Workload,
  instances: ReadonlyMap<string, Instance>,
): KubernetesObject {
  const namespace = workloadNamespace(site, workload);
  const consumers = [...instances.values()].filter(({ bindings }) =>
    [...bindings.values()].some(
      (binding) => 'provider' in binding && binding.provider === instance.name,
    ),
  );
  const nodes = (from: readonly Instance[]): readonly NetworkPeer[] =>
    from.some(usesNodeNetwork)
      ? (site.cluster.nodes ?? []).map((cidr) => ({ ipBlock: { cidr } }))
      : [];
  const admitted: Readonly<
    Record<
      Exclude<PortPeers, 'anyone'>,
      { readonly instances: readonly Instance[]; readonly others: readonly NetworkPeer[] }
    >
  > = {
    peers: { instances: [], others: nodes([instance]) },
    consumers: { instances: consumers, others: nodes([instance, ...consumers]) },
    watchers: {
      instances: [...instances.values()].filter(({ spec }) => spec.watches === true),
      others: sitePeers(site.watchers ?? [], site, namespace),
    },
  };
  const rule = (from: PortPeers): object[] => {
    const ports = Object.entries(portsOf(workload))
      .filter(([, port]) => admits(port, from))
      .map(([port]) => ({ port, protocol: 'TCP' }));
    if (ports.length === 0) return [];
    if (from === 'anyone') return [{ ports }];
    const peers = instancePeers([instance, ...admitted[from].instances], site, namespace);
    return [{ from: [...peers, ...admitted[from].others], ports }];
  };
  const labels = podLabels(instance, name);
  const { from } = site.expose ?? {};
  const open = closedPorts(instance, name).map((port) => ({ port, protocol: 'TCP' }));
  const outside =
    from === undefined || open.length === 0
      ? []
      : [{ from: sitePeers(from, site, namespace), ports: open }];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: objectName(instance, name),
      namespace,
      labels: { ...siteLabels(site), ...labels },
    },
    spec: {
      podSelector: { matchLabels: labels },
      policyTypes: ['Ingress'],
      ingress: [
        ...rule('peers'),
        ...rule('consumers'),
        ...rule('watchers'),
        ...rule('anyone'),
        ...outside,
      ],
    },
  };
}

/**
 * Denies connections to pods of the site that no other policy allows, in each of its namespaces.
 * Other pods of the namespaces are not affected.
 */
export function denyIngress(
  site: Site,
  instances: ReadonlyMap<string, Instance>,
): readonly KubernetesObject[] {
  return siteNamespaces(instances.values(), site).map((namespace) => ({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: `ccp-${site.name}-deny-ingress`,
      namespace,
      labels: siteLabels(site),
    },
    spec: {
      podSelector: {
        matchExpressions: [
          {
            key: 'app.kubernetes.io/instance',
            operator: 'In',
            values: [...instances.keys()].sort(),
          },
        ],
      },
      policyTypes: ['Ingress'],
    },
  }));
}

import { omitUndefined } from '#core';
import type { NetworkPeer, Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { Instance } from '../model/instance.ts';
import { siteLabels } from '../model/labels.ts';
import { instanceNamespaces } from '../model/namespaces.ts';
import { publicEndpoints } from '../model/public-endpoints.ts';
import { operatorEgress } from '../model/operator-place.ts';
import { portsOf, usesNodeNetwork } from '../model/workload-ports.ts';
import { callsApi } from './calls-api.ts';
import type { InstanceInput } from './instance-input.ts';
import { instancePeers, sitePeers } from './peers.ts';

type PeersOf = (instances: readonly Instance[]) => readonly object[];

interface Rule {
  readonly to?: readonly (NetworkPeer | object)[];
  readonly ports?: readonly object[];
}

const ANYWHERE: readonly NetworkPeer[] = [
  { ipBlock: { cidr: '0.0.0.0/0' } },
  { ipBlock: { cidr: '::/0' } },
];
/**
 * Policies are judged after a Service's address became a server's, whose address and port only the
 * cluster knows.
 */
export const API_SERVER: Rule = {
  ports: [
    { port: 443, protocol: 'TCP' },
    { port: 6443, protocol: 'TCP' },
  ],
};
const DNS: Rule = {
  ports: [
    { port: 53, protocol: 'UDP' },
    { port: 53, protocol: 'TCP' },
  ],
};

/**
 * A policy in each namespace of an instance with the connections that its pods and jobs may open:
 * to name servers, its own pods, the ports of its requirements, and the addresses that the site
 * adds. An app that logs in at identity may connect to every endpoint of the catalogue; an app
 * that watches, to every app.
 */
export function renderEgressPolicies(of: InstanceInput): readonly KubernetesObject[] {
  return instanceNamespaces(of.instance, of.site).map((namespace) =>
    renderEgressPolicy(of, namespace),
  );
}

function renderEgressPolicy(
  { instance, instances, site }: InstanceInput,
  namespace: string,
): KubernetesObject {
  const podsOfInstances: PeersOf = (some) => instancePeers(some, site, namespace);
  const portRules = (
    provider: Instance,
    numbers: readonly (number | undefined)[],
  ): readonly Rule[] => rulesOfPorts(podsOfInstances([provider]), numbers);
  const all = [...instances.values()];
  const catalogued = [...instance.bindings.values()].some(isIdentity)
    ? all.flatMap((other) => portRules(other, cataloguePorts(other)))
    : [];
  const required = [...instance.bindings.values()].flatMap((binding): readonly Rule[] => {
    if (!('provider' in binding)) return [];
    const provider = instances.get(binding.provider)!;
    const { port = '', workload } = provider.spec.provides![binding.provision]!;
    return portRules(provider, [portsOf(provider.spec.workloads[workload]!)[port]?.port]);
  });
  const reached = instance.spec.watches === true ? all : [];
  const watched: Rule[] =
    reached.length === 0 ? [] : [{ to: podsOfInstances(reached) }, ...operatorEgress(site)];
  const onNodes = [
    instance,
    ...reached,
    ...[...instance.bindings.values()].flatMap((binding) =>
      'provider' in binding ? [instances.get(binding.provider)!] : [],
    ),
  ].some(usesNodeNetwork);
  const nodes = site.cluster.nodes?.map((cidr) => ({ ipBlock: { cidr } })) ?? ANYWHERE;
  const rules: readonly Rule[] = [
    DNS,
    { to: podsOfInstances([instance]) },
    ...distinct([...required, ...catalogued]),
    ...watched,
    ...(onNodes ? [{ to: nodes }] : []),
    ...publicRules(instance, instances, site, namespace),
    ...siteRules(instance, site, namespace),
    ...(callsApi(instance) ? [API_SERVER] : []),
    ...(instance.spec.outside === undefined ? [] : [{}]),
  ];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: {
      name: `ccp-${site.name}-egress-${instance.name}`,
      namespace,
      labels: siteLabels(site),
    },
    spec: {
      podSelector: { matchLabels: { 'app.kubernetes.io/instance': instance.name } },
      policyTypes: ['Egress'],
      egress: rules,
    },
  };
}

type Binding = Instance['bindings'] extends ReadonlyMap<string, infer B> ? B : never;

function isIdentity({ requirement: { kind, type } }: Binding): boolean {
  return kind === 'identity-user' || (kind === 'endpoint' && type === 'identity');
}

function cataloguePorts({ spec }: Instance): (number | undefined)[] {
  return Object.values(spec.provides ?? {})
    .filter(({ kind, catalogue }) => kind === 'endpoint' && catalogue !== false)
    .map(({ workload, port = '' }) => portsOf(spec.workloads[workload]!)[port]?.port);
}

function rulesOfPorts(
  to: readonly object[],
  numbers: readonly (number | undefined)[],
): readonly Rule[] {
  return numbers.flatMap((port) =>
    port === undefined ? [] : [{ to, ports: [{ port, protocol: 'TCP' }] }],
  );
}

/**
 * Rules for clients of public hosts: the ports of the hosts at any address, and the controllers
 * behind a load balancer.
 */
function publicRules(
  { spec }: Instance,
  instances: InstanceInput['instances'],
  site: Site,
  namespace: string,
): Rule[] {
  const isClient =
    spec.watches === true ||
    Object.values(spec.workloads).some(({ containers }) =>
      Object.values(containers).some(({ ca }) => ca !== undefined),
    );
  const numbers = new Set(publicEndpoints(site, instances).map(({ origin }) => origin.port));
  if (!isClient || numbers.size === 0) return [];
  const ports = [...numbers].sort((a, b) => a - b).map((port) => ({ port, protocol: 'TCP' }));
  const from = site.expose?.from;
  return [{ ports }, ...(from === undefined ? [] : [{ to: sitePeers(from, site, namespace) }])];
}

function siteRules({ settings }: Instance, site: Site, namespace: string): Rule[] {
  return (settings.egress ?? []).map(({ to, ports }) =>
    omitUndefined({
      to: to && sitePeers(to, site, namespace),
      ports: ports?.map((port) => ({ port, protocol: 'TCP' })),
    }),
  );
}

function distinct(rules: readonly Rule[]): Rule[] {
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()].sort((a, b) =>
    JSON.stringify(a) < JSON.stringify(b) ? -1 : 1,
  );
}

import type { LiveObject } from '#ports';
import { addressBlocks } from './address-blocks.ts';

/** All objects of a cluster that decide which connections are allowed. */
export interface PolicyState {
  readonly policies: readonly LiveObject[];
  readonly pods: readonly LiveObject[];
  readonly namespaces: readonly LiveObject[];
}

interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
    readonly values?: readonly string[];
  }[];
}
interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}
interface Port {
  readonly protocol?: string;
  readonly port?: number | string;
  readonly endPort?: number;
}
interface PolicySpec {
  readonly podSelector?: Selector;
  readonly policyTypes?: readonly string[];
  readonly ingress?: readonly {
    readonly from?: readonly Peer[];
    readonly ports?: readonly Port[];
  }[];
  readonly egress?: readonly {
    readonly to?: readonly Peer[];
    readonly ports?: readonly Port[];
  }[];
}

/** iptables chains of the rules, in the table `mangle`. A packet to a pod must pass both. */
export const POLICY_CHAINS = { Egress: 'CCP-EGRESS', Ingress: 'CCP-INGRESS' } as const;

type Direction = keyof typeof POLICY_CHAINS;

interface PlacedPod {
  readonly pod: LiveObject;
  readonly ip: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
}

/**
 * The peer of a connection: an address or block ('' for any address), and its pod if it has one.
 */
interface Target {
  readonly block: string;
  readonly pod?: LiveObject;
}

/**
 * The iptables rules that enforce all network policies on packets forwarded from and to pods.
 * Packets that no policy of a selected pod allows are dropped. Connections between a pod and its
 * node, and IPv6 addresses, are not covered.
 */
export function policyRules({ policies, pods, namespaces }: PolicyState): readonly string[] {
  const labelsOf = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels]));
  const placed = pods.flatMap((pod): PlacedPod[] => {
    const ip = ipOf(pod);
    return ip === undefined
      ? []
      : [{ pod, ip, namespace: pod.metadata.namespace ?? '', labels: pod.metadata.labels }];
  });
  const targetsOf = (peer: Peer, own: string): readonly Target[] => {
    if (peer.ipBlock !== undefined)
      return addressBlocks(peer.ipBlock.cidr, peer.ipBlock.except).map((block) => ({ block }));
    const matchesNamespace = (namespace: string): boolean =>
      peer.namespaceSelector === undefined
        ? namespace === own
        : selects(peer.namespaceSelector, labelsOf.get(namespace));
    return placed
      .filter(
        ({ namespace, labels }) =>
          matchesNamespace(namespace) && selects(peer.podSelector ?? {}, labels),
      )
      .map(({ ip, pod }) => ({ block: ip, pod }));
  };
  const rulesOf = (direction: Direction, { pod, ip, namespace, labels }: PlacedPod): string[] => {
    const [self, other] = direction === 'Ingress' ? ['-d', '-s'] : ['-s', '-d'];
    const chain = POLICY_CHAINS[direction];
    const mine = policies
      .filter(({ metadata }) => metadata.namespace === namespace)
      .map(({ spec }) => spec as PolicySpec)
      .filter((spec) => typesOf(spec).includes(direction))
      .filter(({ podSelector = {} }) => selects(podSelector, labels));
    if (mine.length === 0) return [];
    const allowed = mine.flatMap(allowedBy(direction)).flatMap(({ peers = [], ports = [] }) => {
      const targets: readonly Target[] =
        peers.length === 0 ? [{ block: '' }] : peers.flatMap((peer) => targetsOf(peer, namespace));
      return targets.flatMap((target) => {
        const listening = direction === 'Ingress' ? pod : target.pod;
        const at =
          ports.length === 0 ? [''] : ports.flatMap((port) => portText(port, listening) ?? []);
        const ends = { [self]: ip, [other]: target.block };
        return at.map((port) =>
          rule(chain, [option('-s', ends['-s']), option('-d', ends['-d']), port, '-j RETURN']),
        );
      });
    });
    return [...new Set(allowed), rule(chain, [`${self} ${ip}`, '-j DROP'])];
  };
  return (['Egress', 'Ingress'] as const).flatMap((direction) =>
    placed.flatMap((each) => rulesOf(direction, each)),
  );
}

/** Policy types with the API server's defaults. */
function typesOf({ policyTypes, egress }: PolicySpec): readonly string[] {
  return policyTypes ?? (egress === undefined ? ['Ingress'] : ['Ingress', 'Egress']);
}

function allowedBy(
  direction: Direction,
): (spec: PolicySpec) => { readonly peers?: readonly Peer[]; readonly ports?: readonly Port[] }[] {
  return ({ ingress = [], egress = [] }) =>
    direction === 'Ingress'
      ? ingress.map(({ from = [], ports = [] }) => ({ peers: from, ports }))
      : egress.map(({ to = [], ports = [] }) => ({ peers: to, ports }));
}

function option(name: string, value: string | undefined): string {
  return value === undefined || value === '' ? '' : `${name} ${value}`;
}

function rule(chain: string, parts: readonly string[]): string {
  return ['-A', chain, ...parts.filter((part) => part !== '')].join(' ');
}

/**
 * `undefined` for a port name that the listening pod does not have, or if the listening pod is
 * unknown.
 */
function portText(
  { protocol = 'TCP', port, endPort }: Port,
  listening: LiveObject | undefined,
): string | undefined {
  const base = `-p ${protocol.toLowerCase()}`;
  if (port === undefined) return base;
  const { containers = [] } = (listening?.spec ?? {}) as {
    readonly containers?: readonly {
      readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
    }[];
  };
  const number =
    typeof port === 'number'
      ? port
      : containers.flatMap(({ ports = [] }) => ports).find(({ name }) => name === port)
          ?.containerPort;
  return number === undefined
    ? undefined
    : `${base} --dport ${number}${endPort === undefined ? '' : `:${endPort}`}`;
}

/** A pod's address; `undefined` if it has none or shares the node's. */
function ipOf({ spec, status }: LiveObject): string | undefined {
  const { phase, podIP } = (status ?? {}) as { readonly phase?: string; readonly podIP?: string };
  const { hostNetwork } = spec as { readonly hostNetwork?: boolean };
  return hostNetwork === true || phase === 'Succeeded' || phase === 'Failed' ? undefined : podIP;
}

function selects(
  { matchLabels = {}, matchExpressions = [] }: Selector,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  const matches = ({
    key,
    operator,
    values = [],
  }: NonNullable<Selector['matchExpressions']>[number]): boolean => {
    const value = labels[key];
    if (operator === 'Exists') return value !== undefined;
    if (operator === 'DoesNotExist') return value === undefined;
    const isIn = value !== undefined && values.includes(value);
    return operator === 'In' ? isIn : !isIn;
  };
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(matches)
  );
}

import type { LiveObject } from '#ports';

/** What policies are judged by: all of a cluster. */
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
  readonly ipBlock?: { readonly cidr: string };
}
interface Port {
  readonly protocol?: string;
  readonly port?: number | string;
  readonly endPort?: number;
}
interface PolicySpec {
  readonly podSelector?: Selector;
  readonly policyTypes?: readonly string[];
  readonly ingress?: readonly { readonly from?: readonly Peer[]; readonly ports?: readonly Port[] }[];
}

/** The chain of iptables that holds the rules, in the table `mangle`. */
export const POLICY_CHAIN = 'CCP-POLICIES';

/**
 * The rules of iptables that make the ingress part of all network policies hold for packets that are forwarded to pods: what no
 * policy of a selected pod allows is dropped. Connections that a pod has made itself, and those of the node, pass. Not judged: egress, and exceptions of blocks of addresses.
 */
export function policyRules({ policies, pods, namespaces }: PolicyState): readonly string[] {
  const labelsOf = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels]));
  const placed = pods.flatMap((pod) => {
    const ip = ipOf(pod);
    return ip === undefined ? [] : [{ pod, ip, namespace: pod.metadata.namespace ?? '', labels: pod.metadata.labels }];
  });
  const sourcesOf = (peer: Peer, own: string): readonly string[] => {
    if (peer.ipBlock !== undefined) return [`-s ${peer.ipBlock.cidr}`];
    const isNear = (namespace: string): boolean =>
      peer.namespaceSelector === undefined ? namespace === own : selects(peer.namespaceSelector, labelsOf.get(namespace));
    return placed.filter(({ namespace, labels }) => isNear(namespace) && selects(peer.podSelector ?? {}, labels)).map(({ ip }) => `-s ${ip}`);
  };
  return placed.flatMap(({ pod, ip, namespace, labels }) => {
    const specs = policies.filter(({ metadata }) => metadata.namespace === namespace).map(({ spec }) => spec as PolicySpec);
    const mine = specs.filter(({ podSelector = {}, policyTypes = ['Ingress'] }) => policyTypes.includes('Ingress') && selects(podSelector, labels));
    if (mine.length === 0) return [];
    const allowed = mine.flatMap(({ ingress = [] }) =>
      ingress.flatMap(({ from, ports }) => {
        const sources = from === undefined || from.length === 0 ? [''] : from.flatMap((peer) => sourcesOf(peer, namespace));
        const targets = ports === undefined || ports.length === 0 ? [''] : ports.flatMap((port) => portText(port, pod) ?? []);
        return sources.flatMap((source) => targets.map((target) => rule([source, `-d ${ip}`, target, '-j RETURN'])));
      }),
    );
    return [...new Set(allowed), rule([`-d ${ip}`, '-j DROP'])];
  });
}

function rule(parts: readonly string[]): string {
  return ['-A', POLICY_CHAIN, ...parts.filter((part) => part !== '')].join(' ');
}

/** `undefined` for the name of a port that the pod does not have. */
function portText({ protocol = 'TCP', port, endPort }: Port, { spec }: LiveObject): string | undefined {
  const base = `-p ${protocol.toLowerCase()}`;
  if (port === undefined) return base;
  const { containers = [] } = spec as {
    readonly containers?: readonly { readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[] }[];
  };
  const number = typeof port === 'number' ? port : containers.flatMap(({ ports = [] }) => ports).find(({ name }) => name === port)?.containerPort;
  return number === undefined ? undefined : `${base} --dport ${number}${endPort === undefined ? '' : `:${endPort}`}`;
}

/** A pod's own address; `undefined` for one that has none yet or any more, or has the node's. */
function ipOf({ spec, status }: LiveObject): string | undefined {
  const { phase, podIP } = (status ?? {}) as { readonly phase?: string; readonly podIP?: string };
  const { hostNetwork } = spec as { readonly hostNetwork?: boolean };
  return hostNetwork === true || phase === 'Succeeded' || phase === 'Failed' ? undefined : podIP;
}

function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Readonly<Record<string, string>> = {}): boolean {
  const holds = ({ key, operator, values = [] }: NonNullable<Selector['matchExpressions']>[number]): boolean => {
    const value = labels[key];
    if (operator === 'Exists') return value !== undefined;
    if (operator === 'DoesNotExist') return value === undefined;
    const isIn = value !== undefined && values.includes(value);
    return operator === 'In' ? isIn : !isIn;
  };
  return Object.entries(matchLabels).every(([key, value]) => labels[key] === value) && matchExpressions.every(holds);
}

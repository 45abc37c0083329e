/** Names and addresses that are unique to a cluster on this machine, for a slot from 0 to 63. */
export interface NodeNames {
  readonly slot: number;
  /** Network interface on the machine, and its peer in the cluster. */
  readonly link: string;
  readonly innerLink: string;
  /** Control group that contains all pods. */
  readonly cgroup: string;
  /** Addresses of the machine and the node on the link. */
  readonly host: string;
  readonly node: string;
  /** Address of the pod bridge, and the address ranges of pods and Services. */
  readonly bridge: string;
  readonly pods: string;
  readonly services: string;
}

/** Name of the node. */
export const NODE_NAME = 'node';

/** Port of the API server on the node's address. */
export const API_PORT = 6443;

/** Maximum number of clusters on a machine. */
export const MAX_CLUSTERS = 64;

/** The names of a cluster. Each cluster has four of the 256 networks 10.251.N.0/24. */
export function nodeNames(slot: number): NodeNames {
  const network = (part: number): string => `10.251.${slot * 4 + part}`;
  return {
    slot,
    link: `ccp-${slot}`,
    innerLink: 'ccp-up',
    cgroup: `ccp-node-${slot}`,
    host: `${network(0)}.1`,
    node: `${network(0)}.2`,
    bridge: `${network(1)}.1`,
    pods: `${network(1)}.0/24`,
    services: `${network(2)}.0/24`,
  };
}

/** Prefix length of the link's addresses. */
export const LINK_PREFIX = 30;

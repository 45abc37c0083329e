import { CcpError, nearest } from '#core';
import { asKind, type Cluster, type LiveObject } from '#ports';

const NODES = { apiVersion: 'v1', kind: 'Node' } as const;
const PODS = { apiVersion: 'v1', kind: 'Pod' } as const;
const MIRROR = 'kubernetes.io/config.mirror';
const ENDED = new Set(['Succeeded', 'Failed']);

/** A host: a node of the cluster, and why it is not locked. */
export interface Host {
  readonly node: LiveObject;
  /** Absent if it is locked: cordoned and drained. */
  readonly unlocked?: string;
}

/** The nodes of a cluster. */
export async function readNodes(cluster: Pick<Cluster, 'list'>): Promise<readonly LiveObject[]> {
  return (await cluster.list(NODES)).items;
}

/** A host by name. Throws `host-missing` with the nearest name. */
export async function readHost(
  cluster: Pick<Cluster, 'get' | 'list' | 'name'>,
  name: string,
): Promise<Host> {
  const node = await cluster.get({ ...NODES, name });
  if (node === undefined) {
    const names = (await readNodes(cluster)).map(({ metadata }) => metadata.name);
    const meant = nearest(name, names);
    throw new CcpError({
      code: 'host-missing',
      message: `${cluster.name} has no host ${name}`,
      hint: meant === undefined ? `hosts: ${names.join(', ')}` : `did you mean "${meant}"?`,
    });
  }
  const pods = await cluster.list(PODS, { fieldSelector: `spec.nodeName=${name}` });
  const left = pods.items.filter(mustLeave).map(({ metadata }) => metadata.name);
  if (asKind('Node', node).spec?.unschedulable !== true)
    return { node, unlocked: 'it is not cordoned' };
  return left.length === 0
    ? { node }
    : { node, unlocked: `${left.length} of its pods are not drained, like ${left[0]}` };
}

/** Whether `kubectl drain` would evict a pod. */
function mustLeave(pod: LiveObject): boolean {
  const { annotations = {}, ownerReferences = [] } = pod.metadata;
  return (
    annotations[MIRROR] === undefined &&
    !ownerReferences.some(({ kind, controller }) => kind === 'DaemonSet' && controller === true) &&
    !ENDED.has(asKind('Pod', pod).status?.phase ?? '')
  );
}

/** Throws `host-unlocked` for a change that needs a locked host. */
export function requireLocked({ node, unlocked }: Host, change: string): void {
  if (unlocked === undefined) return;
  const { name } = node.metadata;
  throw new CcpError({
    code: 'host-unlocked',
    message: `${change} needs a locked host, but ${name} is unlocked: ${unlocked}`,
    hint: `lock it: kubectl cordon ${name} && kubectl drain ${name} --ignore-daemonsets --delete-emptydir-data`,
  });
}

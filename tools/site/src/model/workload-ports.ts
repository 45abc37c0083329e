import type { PortSpec, Workload, PortPeers } from '#definitions';
import type { Instance } from './instance.ts';

/** Ports of all containers of a workload by name. */
export function portsOf(workload: Workload): Readonly<Record<string, PortSpec>> {
  return Object.fromEntries(
    Object.values(workload.containers).flatMap((container) =>
      Object.entries(container.ports ?? {}),
    ),
  );
}

export function admits({ from }: PortSpec, peers: PortPeers): boolean {
  return typeof from === 'string' ? from === peers : from.includes(peers);
}

/** Ports of a workload that have a host, and that not anyone in the cluster may connect to. */
export function closedPorts(instance: Instance, workload: string): string[] {
  const ports = portsOf(instance.spec.workloads[workload]!);
  const exposed = Object.keys(instance.settings.hosts ?? {}).flatMap((endpoint) => {
    const provision = instance.spec.provides?.[endpoint];
    const port = ports[provision?.port ?? ''];
    return provision?.kind === 'endpoint' &&
      provision.workload === workload &&
      port !== undefined &&
      !admits(port, 'anyone')
      ? [provision.port!]
      : [];
  });
  return [...new Set(exposed)].sort();
}

/**
 * Whether its pods use their node's address, which network policies cannot distinguish from the
 * node.
 */
export function usesNodeNetwork({ spec }: Instance): boolean {
  return Object.values(spec.workloads).some(({ host }) => host?.network !== undefined);
}

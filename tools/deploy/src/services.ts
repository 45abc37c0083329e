import type { PortSpec, Workload } from '#definitions';
import type { KubernetesObject } from '#ports';
import { podLabels, siteLabels } from './labels.ts';
import { objectName, peersService } from './names.ts';
import type { InstanceInput } from './workload.ts';

/**
 * Services of a workload: one for its ready pods with the ports others use, and where pods differ (StatefulSet, DaemonSet) a headless
 * one with all ports, which names each pod before it is ready so that members of a cluster, and who watches all pods, find it.
 */
export function renderServices({ instance, input }: InstanceInput, name: string, workload: Workload): KubernetesObject[] {
  const websockets = new Set(
    Object.values(instance.spec.provides ?? {})
      .filter((provision) => provision.workload === name && provision.carries === 'websockets')
      .map(({ port }) => port),
  );
  const ports = Object.entries(portsOf(workload));
  const open = ports.filter(([, port]) => port.from !== 'peers');
  const selector = podLabels(instance, name);
  const service = (metadataName: string, list: typeof ports, headless: boolean): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: metadataName, namespace: input.site.namespace, labels: { ...siteLabels(input.site), ...selector } },
    spec: {
      ...(headless ? { clusterIP: 'None', publishNotReadyAddresses: true } : {}),
      selector,
      ports: list.map(([port, { port: number }]) => ({
        name: port,
        port: number,
        targetPort: port,
        ...(websockets.has(port) ? { appProtocol: 'kubernetes.io/ws' } : {}),
      })),
    },
  });
  const object = objectName(instance, name);
  return [
    ...(open.length === 0 ? [] : [service(object, open, false)]),
    ...(workload.kind === 'Deployment' || ports.length === 0 ? [] : [service(peersService(object), ports, true)]),
  ];
}

/** Ports of all containers of a workload by name. */
export function portsOf(workload: Workload): Readonly<Record<string, PortSpec>> {
  return Object.fromEntries(Object.values(workload.containers).flatMap((container) => Object.entries(container.ports ?? {})));
}

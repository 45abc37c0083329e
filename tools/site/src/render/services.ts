import type { Workload } from '#definitions';
import type { KubernetesObject } from '#ports';
import { podLabels, ROLE, siteLabels, WRITER } from '../model/labels.ts';
import { workloadNamespace } from '../model/namespaces.ts';
import { objectName, peersService, readersService } from '../model/names.ts';
import { portsOf } from '../model/workload-ports.ts';
import type { InstanceInput } from './instance-input.ts';

/**
 * Services of a workload. The first is for its ready pods, with the ports that others use. A
 * StatefulSet or DaemonSet also has a headless Service with all ports, which names each pod before
 * it is ready: members of a cluster and watchers find each pod by it. If the pods choose a leader,
 * the first Service leads to the leader only, and another one to every ready pod.
 */
export function renderServices(
  { instance, site }: InstanceInput,
  name: string,
  workload: Workload,
): KubernetesObject[] {
  const websockets = new Set(
    Object.values(instance.spec.provides ?? {})
      .filter((provision) => provision.workload === name && provision.carries === 'websockets')
      .map(({ port }) => port),
  );
  const ports = Object.entries(portsOf(workload));
  const open = ports.filter(([, port]) => port.from !== 'peers');
  const selector = podLabels(instance, name);
  const namespace = workloadNamespace(site, workload);
  const service = (
    metadataName: string,
    list: typeof ports,
    headless: boolean,
    chosen: Readonly<Record<string, string>> = {},
  ): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: metadataName,
      namespace,
      labels: { ...siteLabels(site), ...selector },
    },
    spec: {
      ...(headless ? { clusterIP: 'None', publishNotReadyAddresses: true } : {}),
      selector: { ...selector, ...chosen },
      ports: list.map(([port, { port: number }]) => ({
        name: port,
        port: number,
        targetPort: port,
        ...(websockets.has(port) ? { appProtocol: 'kubernetes.io/ws' } : {}),
      })),
    },
  });
  const object = objectName(instance, name);
  const leads = workload.leader !== undefined;
  return [
    ...(open.length === 0 ? [] : [service(object, open, false, leads ? { [ROLE]: WRITER } : {})]),
    ...(leads && open.length > 0 ? [service(readersService(object), open, false)] : []),
    ...(workload.kind === 'Deployment' || ports.length === 0
      ? []
      : [service(peersService(object), ports, true)]),
  ];
}

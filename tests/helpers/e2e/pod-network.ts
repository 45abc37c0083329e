import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerRunner, KubernetesObject } from '#ports';
import { openNamespaces } from './namespaces.ts';
import type { PodPlace } from './pod-runner.ts';

/** Pods of StatefulSets on their own bridge, each with an address. */
export interface PodNetwork {
  /** Place of the pod with this ordinal; does not change on restarts. */
  place(object: KubernetesObject, ordinal: number): Partial<PodPlace>;
  close(): Promise<void>;
}

type StatefulSet = KubernetesObject & { readonly spec: { readonly replicas: number } };

/**
 * Opens a network for the objects of one site, with `spare` places per StatefulSet for pods beyond
 * its replicas. `image` contains `sleep`; the caller removes `folder`.
 */
export async function openPodNetwork(
  runner: ContainerRunner,
  objects: readonly KubernetesObject[],
  image: string,
  folder: string,
  spare = 0,
): Promise<PodNetwork> {
  const namespaces = openNamespaces(runner, image);
  const bridge = await namespaces.make();
  bridge.ip('link', 'add', 'pods', 'type', 'bridge');
  bridge.ip('link', 'set', 'pods', 'up');
  const places = new Map<string, Partial<PodPlace>>();
  const names: string[] = [];
  const hosts = join(folder, 'pod-hosts');
  for (const { metadata, spec } of objects.filter(
    ({ kind }) => kind === 'StatefulSet',
  ) as unknown as readonly StatefulSet[]) {
    for (let ordinal = 0; ordinal < spec.replicas + spare; ordinal += 1) {
      const pod = `${metadata.name}-${ordinal}`;
      const address = `10.254.0.${places.size + 1}`;
      const own = await namespaces.make();
      bridge.link(`pod${places.size}`, own, 'eth0');
      bridge.ip('link', 'set', `pod${places.size}`, 'master', 'pods');
      own.ip('address', 'add', `${address}/24`, 'dev', 'eth0');
      places.set(pod, { pod, address, network: own.network });
      names.push(
        `${address} ${pod}.${metadata.name}-peers.${metadata.namespace}.svc.cluster.local`,
      );
    }
  }
  writeFileSync(hosts, ['127.0.0.1 localhost', ...names, ''].join('\n'), { mode: 0o644 });
  return {
    place: ({ metadata }, ordinal) => ({ ...places.get(`${metadata.name}-${ordinal}`), hosts }),
    close: () => namespaces.close(),
  };
}

import type { Workload } from '#definitions';
import type { KubernetesObject } from '#ports';
import { podLabels, siteLabels } from './labels.ts';
import { objectName, peersService, replicasOf } from './names.ts';
import { renderPod, type PodInput } from './pod.ts';

/** What stays the same for all objects of one instance. */
export type InstanceInput = Pick<PodInput, 'input' | 'instance' | 'scope' | 'files'>;

/** The Deployment or StatefulSet of a workload. Raises what `renderPod` raises. */
export function renderWorkload(of: InstanceInput, name: string, workload: Workload): KubernetesObject {
  const { instance, input } = of;
  const object = objectName(instance, name);
  const labels = podLabels(instance, name);
  const stateful = workload.kind === 'StatefulSet';
  const containers = Object.entries(workload.containers).map(([key, spec]) => {
    const resources = instance.settings.resources?.[name]?.[key];
    return [key, { spec, path: ['workloads', name, 'containers', key], ...(resources === undefined ? {} : { resources }) }] as const;
  });
  const pod = renderPod({
    ...of,
    role: workload.role,
    spread: { labels, required: workload.spread === 'required', ...(stateful ? {} : { revision: 'pod-template-hash' }) },
    volumes: workload.volumes ?? {},
    containers: Object.fromEntries(containers),
  });
  return {
    apiVersion: 'apps/v1',
    kind: workload.kind,
    metadata: { name: object, namespace: input.site.namespace, labels: { ...siteLabels(input.site), ...labels } },
    spec: {
      replicas: replicasOf(instance, name, workload),
      revisionHistoryLimit: 5,
      selector: { matchLabels: labels },
      ...(stateful
        ? {
            serviceName: peersService(object),
            podManagementPolicy: workload.start === 'parallel' ? 'Parallel' : 'OrderedReady',
            updateStrategy: { type: 'RollingUpdate' },
            persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
          }
        : { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: workload.surge ?? 1, maxUnavailable: 0 } } }),
      template: { metadata: { labels }, spec: { ...pod, terminationGracePeriodSeconds: workload.grace } },
      ...(stateful ? { volumeClaimTemplates: claims(of, workload) } : {}),
    },
  };
}

function claims({ input: { site } }: InstanceInput, workload: Workload): object[] {
  return Object.entries(workload.volumes ?? {}).flatMap(([name, { claim }]) => {
    if (claim === undefined) return [];
    const storageClassName = site.storage[claim.storage ?? 'default'] ?? site.storage['default'];
    return [{
      metadata: { name },
      spec: {
        accessModes: ['ReadWriteOnce'],
        ...(storageClassName === undefined ? {} : { storageClassName }),
        resources: { requests: { storage: claim.size } },
      },
    }];
  });
}


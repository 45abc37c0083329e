import type { ReplicatedWorkload } from '#definitions';
import type { KubernetesObject } from '#ports';
import { podLabels, siteLabels } from '../model/labels.ts';
import { workloadNamespace } from '../model/namespaces.ts';
import { objectName, replicasOf } from '../model/names.ts';
import type { InstanceInput } from './instance-input.ts';

/**
 * Number of pods that may be evicted: the value of the app spec, and never a majority of a quorum.
 */
export function renderDisruptionBudget(
  { instance, site }: InstanceInput,
  name: string,
  workload: ReplicatedWorkload,
): KubernetesObject {
  const labels = podLabels(instance, name);
  const minority = Math.max(1, Math.floor((replicasOf(instance, name, workload) - 1) / 2));
  const wanted = workload.disruption?.maxUnavailable ?? 1;
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: {
      name: objectName(instance, name),
      namespace: workloadNamespace(site, workload),
      labels: { ...siteLabels(site), ...labels },
    },
    spec: {
      maxUnavailable: workload.replicas.rule === 'odd' ? Math.min(wanted, minority) : wanted,
      selector: { matchLabels: labels },
      // A broken pod must not block the drain of a node. Members of a quorum may still synchronise,
      // so they count.
      unhealthyPodEvictionPolicy:
        workload.replicas.rule === 'odd' ? 'IfHealthyBudget' : 'AlwaysAllow',
    },
  };
}

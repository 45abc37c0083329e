import type { JobContainer } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { Instance } from './instances.ts';
import { applySetId, applySetParent, podLabels, siteLabels } from './labels.ts';
import type { SiteInput } from './types.ts';

/** The namespace, held to the strictest Pod Security Standard that all its pods meet. */
export function renderNamespace(site: SiteInput['site'], instances: ReadonlyMap<string, Instance>): KubernetesObject {
  const level = securityLevel(instances);
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: {
      name: site.namespace,
      labels: { 'app.kubernetes.io/managed-by': 'ccp', 'pod-security.kubernetes.io/enforce': level, 'pod-security.kubernetes.io/warn': level },
    },
  };
}

/** Parent of the site's ApplySet: by it a tool that prunes knows which kinds to look at. */
export function renderApplySet(site: SiteInput['site'], members: readonly KubernetesObject[]): KubernetesObject {
  const kinds = new Set(members.filter(({ kind }) => kind !== 'Namespace').map(({ kind, apiVersion }) => (apiVersion.includes('/') ? `${kind}.${apiVersion.split('/')[0]}` : kind)));
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: applySetParent(site),
      namespace: site.namespace,
      labels: { 'applyset.kubernetes.io/id': applySetId(site), 'app.kubernetes.io/part-of': site.name, 'app.kubernetes.io/managed-by': 'ccp' },
      annotations: { 'applyset.kubernetes.io/tooling': 'ccp/v1', 'applyset.kubernetes.io/contains-group-kinds': [...kinds].sort().join(',') },
    },
  };
}

/** Account of an instance's pods; it may do nothing and no token of it is mounted. */
export function renderServiceAccount(site: SiteInput['site'], instance: Instance): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: instance.name, namespace: site.namespace, labels: { ...siteLabels(site), ...podLabels(instance, 'account') } },
    automountServiceAccountToken: false,
  };
}

/** https://kubernetes.io/docs/concepts/security/pod-security-standards/ */
function securityLevel(instances: ReadonlyMap<string, Instance>): 'restricted' | 'baseline' | 'privileged' {
  let level: 'restricted' | 'baseline' | 'privileged' = 'restricted';
  for (const { spec } of instances.values()) {
    const workloads = Object.values(spec.workloads);
    const setups = Object.values(spec.provides ?? {}).flatMap(({ setup }) => setup ?? []);
    const jobs = [...setups, ...[spec.jobs, spec.actions, spec.checks].flatMap((group): JobContainer[] => Object.values(group ?? {}))];
    const containers = [...workloads.flatMap((workload) => Object.values(workload.containers)), ...jobs];
    const volumes = [...workloads, ...jobs].flatMap((owner) => Object.values(owner.volumes ?? {}));
    const capabilities = containers.flatMap(({ security }) => Object.keys(security?.capabilities ?? {}));
    const hosts = [...volumes, ...workloads].some(({ host }) => host !== undefined);
    if (hosts || capabilities.some((name) => name !== 'NET_BIND_SERVICE') || containers.some(({ security }) => security?.privileged !== undefined)) return 'privileged';
    if (containers.some(({ security }) => security?.root !== undefined || security?.escalation !== undefined)) level = 'baseline';
  }
  return level;
}

import type { Workload } from '#definitions';
import type { KubernetesObject } from '#ports';
import { podLabels, siteLabels } from '../model/labels.ts';
import { workloadNamespace } from '../model/namespaces.ts';
import { objectName, replicasOf } from '../model/names.ts';
import type { InstanceInput } from './instance-input.ts';

/**
 * The rights of pods that choose a leader: to label the pods of their own StatefulSet, by name, and
 * to record in one ConfigMap that their data was created. Other workloads get no rights.
 */
export function renderLeaderAccess(
  { instance, site }: InstanceInput,
  name: string,
  workload: Workload,
): KubernetesObject[] {
  if (workload.kind === 'DaemonSet' || workload.leader === undefined) return [];
  const object = objectName(instance, name);
  const namespace = workloadNamespace(site, workload);
  const replicas = replicasOf(instance, name, workload);
  const common = {
    name: `${object}-leader`,
    namespace,
    labels: { ...siteLabels(site), ...podLabels(instance, name) },
  };
  const pods = Array.from({ length: replicas }, (_, ordinal) => `${object}-${ordinal}`);
  return [
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: common,
      rules: [
        { apiGroups: [''], resources: ['pods'], resourceNames: pods, verbs: ['patch'] },
        { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
        {
          apiGroups: [''],
          resources: ['configmaps'],
          resourceNames: [`${object}-founded`],
          verbs: ['get'],
        },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: common,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: common.name },
      subjects: [{ kind: 'ServiceAccount', name: instance.name, namespace }],
    },
  ];
}

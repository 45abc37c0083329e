import type { KubernetesObject } from '#ports';
import type { Instance } from '../model/instance.ts';
import { podLabels, siteLabels } from '../model/labels.ts';
import { secretName } from '../model/names.ts';
import type { InstanceInput } from './instance-input.ts';

/** Account of an action that changes a Secret in place. */
export function rotationAccount({ name }: Pick<Instance, 'name'>, action: string): string {
  return `${name}-${action}`;
}

/**
 * The accounts of the actions that change a Secret in place: each may read and update its Secret,
 * and read addresses of Services, so that it can ask each pod whether it has the keys.
 */
export function renderRotationAccess({ instance, site }: InstanceInput): KubernetesObject[] {
  return Object.entries(instance.spec.actions ?? {}).flatMap(([action, { rotates }]) => {
    if (rotates === undefined) return [];
    const name = rotationAccount(instance, action);
    const labels = { ...siteLabels(site), ...podLabels(instance, `action-${action}`) };
    const metadata = { name, namespace: site.namespace, labels };
    const secret = secretName(instance, rotates);
    const group = 'rbac.authorization.k8s.io';
    return [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata, automountServiceAccountToken: false },
      {
        apiVersion: `${group}/v1`,
        kind: 'Role',
        metadata,
        rules: [
          {
            apiGroups: [''],
            resources: ['secrets'],
            resourceNames: [secret],
            verbs: ['get', 'update'],
          },
          { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list'] },
        ],
      },
      {
        apiVersion: `${group}/v1`,
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: group, kind: 'Role', name },
        subjects: [{ kind: 'ServiceAccount', name, namespace: site.namespace }],
      },
    ];
  });
}

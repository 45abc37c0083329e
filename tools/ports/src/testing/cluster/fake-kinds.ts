import type { ClusterKind } from '../../cluster.ts';

const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const GENERATIONS = new Set([
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'ReplicaSet',
  'Job',
  'CronJob',
  'Pod',
  'PodDisruptionBudget',
  'NetworkPolicy',
  'Ingress',
  'Gateway',
  'HTTPRoute',
  'Certificate',
  'OpenStackRelease',
  'OpenStackService',
]);

const OF_NAMESPACES: Readonly<Record<string, readonly string[]>> = {
  v1: [
    'Pod',
    'Service',
    'ConfigMap',
    'Secret',
    'ServiceAccount',
    'PersistentVolumeClaim',
    'Endpoints',
    'Event',
    'LimitRange',
    'ResourceQuota',
  ],
  'apps/v1': ['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'ControllerRevision'],
  'batch/v1': ['Job', 'CronJob'],
  'autoscaling/v2': ['HorizontalPodAutoscaler'],
  'ccp.openstack.org/v1alpha1': ['OpenStackRelease', 'OpenStackService'],
  'coordination.k8s.io/v1': ['Lease'],
  'cert-manager.io/v1': ['Certificate', 'Issuer'],
  'discovery.k8s.io/v1': ['EndpointSlice'],
  'gateway.networking.k8s.io/v1': ['Gateway', 'HTTPRoute'],
  'networking.k8s.io/v1': ['NetworkPolicy', 'Ingress'],
  'policy/v1': ['PodDisruptionBudget'],
  'rbac.authorization.k8s.io/v1': ['Role', 'RoleBinding'],
};

const OF_CLUSTER: Readonly<Record<string, readonly string[]>> = {
  v1: ['Namespace', 'Node', 'PersistentVolume'],
  'apiextensions.k8s.io/v1': ['CustomResourceDefinition'],
  'cert-manager.io/v1': ['ClusterIssuer'],
  'gateway.networking.k8s.io/v1': ['GatewayClass'],
  'networking.k8s.io/v1': ['IngressClass'],
  'rbac.authorization.k8s.io/v1': ['ClusterRole', 'ClusterRoleBinding'],
  'scheduling.k8s.io/v1': ['PriorityClass'],
  'storage.k8s.io/v1': ['StorageClass'],
};

/** The kinds that the fake cluster supports. */
export const FAKE_KINDS: readonly ClusterKind[] = [
  ...kindsOf(OF_NAMESPACES, true),
  ...kindsOf(OF_CLUSTER, false),
];

/** Whether objects of a kind have a generation. */
export function hasGeneration(kind: string): boolean {
  return GENERATIONS.has(kind);
}

function kindsOf(
  groups: Readonly<Record<string, readonly string[]>>,
  namespaced: boolean,
): readonly ClusterKind[] {
  return Object.entries(groups).flatMap(([apiVersion, kinds]) =>
    kinds.map((kind) => ({ apiVersion, kind, plural: pluralOf(kind), namespaced, verbs: VERBS })),
  );
}

function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (word.endsWith('endpoints')) return word;
  if (word.endsWith('ss')) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}

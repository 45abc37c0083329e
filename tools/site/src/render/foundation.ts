import type { KubernetesObject } from '#ports';
import type { Bound, BoundPod } from '../model/bound.ts';
import { inNamespace, nodeNamespaceOf, siteNamespaces } from '../model/namespaces.ts';
import { podsOf } from '../model/pods-of.ts';
import type { RenderedSite } from '../model/types.ts';
import { renderAuthorities } from './authorities.ts';
import { renderDisruptionBudget } from './disruption-budget.ts';
import { renderEgressPolicies } from './egress-policy.ts';
import type { InstanceInput } from './instance-input.ts';
import { kollaConfig } from './kolla.ts';
import { renderLeaderAccess } from './leader-access.ts';
import { renderApplySet, renderNamespace, renderServiceAccount } from './namespace.ts';
import { denyIngress, renderNetworkPolicy } from './network-policy.ts';
import { actionsOf, scheduleClaims } from './render-actions.ts';
import { renderRotationAccess } from './rotation-access.ts';
import { renderSecretsJob } from './secrets-job.ts';
import { renderServices } from './services.ts';

const FOUNDATION_ORDER = [
  'Namespace',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ConfigMap',
  'Service',
  'PodDisruptionBudget',
  'NetworkPolicy',
  'PersistentVolumeClaim',
];

/** Renders the objects that belong to no step, in the order they are applied. */
export function renderFoundation(
  bound: Bound,
  inputs: ReadonlyMap<string, InstanceInput>,
  { steps, actions }: Pick<RenderedSite, 'steps' | 'actions'>,
): readonly KubernetesObject[] {
  const { site, instances } = bound;
  const perInstance = [...inputs.values()].flatMap((of) => ofInstance(of, bound));
  const inSteps = steps.flatMap(({ objects }) => objects);
  const withPods = [...inSteps, ...actions.map(({ job }) => job)];
  const perSite = [
    ...siteNamespaces(instances.values(), site).map((name) => renderNamespace(name, withPods)),
    ...renderSecretsJob(bound).foundation,
    ...whereUsed([...perInstance, ...runtimeFiles(bound, inputs)], withPods, site),
    ...denyIngress(site, instances),
  ];
  const members = [...perSite.filter(({ kind }) => kind !== 'PersistentVolumeClaim'), ...inSteps];
  return inOrder([...perSite, renderApplySet(site, members)]);
}

/**
 * Accounts and ConfigMaps in the namespaces of the pods that use them; other objects are returned
 * unchanged. Objects that no pod uses stay in the site's namespace.
 */
function whereUsed(
  objects: readonly KubernetesObject[],
  withPods: readonly KubernetesObject[],
  site: Bound['site'],
): readonly KubernetesObject[] {
  const home = site.namespace;
  const node = nodeNamespaceOf(site);
  const used = new Set(
    podsOf(withPods).flatMap(({ object, pod }) =>
      [
        `ServiceAccount/${pod.serviceAccountName}`,
        ...pod.volumes.flatMap(({ configMap }) =>
          configMap === undefined ? [] : [`ConfigMap/${configMap.name}`],
        ),
      ].map((key) => `${object.metadata.namespace ?? ''}/${key}`),
    ),
  );
  if (node === home) return objects;
  return objects.flatMap((object) => {
    const key = `${object.kind}/${object.metadata.name}`;
    if (!used.has(`${node}/${key}`)) return [object];
    const copy = inNamespace(object, node);
    return used.has(`${home}/${key}`) ? [object, copy] : [copy];
  });
}

/** ConfigMaps for the runtimes of containers: config.json of Kolla, and the site's authorities. */
function runtimeFiles(
  { site, steps, actions }: Bound,
  inputs: ReadonlyMap<string, InstanceInput>,
): KubernetesObject[] {
  const pods: readonly BoundPod[] = [
    ...steps.flatMap(({ work }) => ('pod' in work ? [work.pod] : [])),
    ...actions.map(({ pod }) => pod),
  ];
  const objects = pods.flatMap((pod) => {
    const { files } = inputs.get(pod.instance.name)!;
    const containers = Object.values(pod.containers);
    return [
      ...containers.flatMap((container) => kollaConfig({ ...pod, site, files }, container) ?? []),
      ...(containers.some(({ spec }) => spec.ca !== undefined)
        ? [renderAuthorities(site)?.object ?? []].flat()
        : []),
    ];
  });
  return [...new Map(objects.map((object) => [object.metadata.name, object])).values()];
}

function ofInstance(of: InstanceInput, bound: Bound): KubernetesObject[] {
  const { site, instance, instances } = of;
  const workloads = Object.entries(instance.spec.workloads).flatMap(([name, workload]) => [
    ...renderServices(of, name, workload),
    ...(workload.kind === 'DaemonSet' ? [] : [renderDisruptionBudget(of, name, workload)]),
    renderNetworkPolicy(of, name, workload, instances),
    ...renderLeaderAccess(of, name, workload),
  ]);
  return [
    renderServiceAccount(site, instance, site.namespace),
    ...renderEgressPolicies(of),
    ...filesOf(of),
    ...workloads,
    ...scheduleClaims(of, actionsOf(bound, of)),
    ...renderRotationAccess(of),
  ];
}

/** The ConfigMaps of an instance; node groups share equal ones. */
function filesOf({ files, groupFiles }: InstanceInput): KubernetesObject[] {
  const all = [files, ...groupFiles.values()].flatMap((each) => [...each.values()]);
  return [...new Map(all.map(({ object }) => [object.metadata.name, object])).values()];
}

/** Objects of the foundation in the order they are applied. */
export function inOrder(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const rank = ({ kind }: KubernetesObject): number => FOUNDATION_ORDER.indexOf(kind);
  return [...objects].sort((a, b) => rank(a) - rank(b) || (placeOf(a) < placeOf(b) ? -1 : 1));
}

/** Name and namespace; equal names in two namespaces are next to each other. */
function placeOf({ metadata: { name, namespace = '' } }: KubernetesObject): string {
  return `${name} ${namespace}`;
}

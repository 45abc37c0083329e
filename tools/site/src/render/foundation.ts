import type { KubernetesObject } from '#ports';
import type { Bound, BoundPod } from '../model/bound.ts';
import type { RenderedSite } from '../model/types.ts';
import { renderAuthorities } from './authorities.ts';
import { renderDisruptionBudget } from './disruption-budget.ts';
import { renderEgressPolicy } from './egress-policy.ts';
import type { InstanceInput } from './instance-input.ts';
import { kollaConfig } from './kolla.ts';
import { renderLeaderAccess } from './leader-access.ts';
import { renderApplySet, renderNamespace, renderServiceAccount } from './namespace.ts';
import { denyIngress, renderNetworkPolicy } from './network-policy.ts';
import { actionsOf, scheduleClaims } from './render-actions.ts';
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
  const perSite = [
    renderNamespace(site, [...perInstance, ...inSteps, ...actions.map(({ job }) => job)]),
    ...renderSecretsJob(bound).foundation,
    ...perInstance,
    ...runtimeFiles(bound, inputs),
    denyIngress(site, instances),
  ];
  const members = [...perSite.filter(({ kind }) => kind !== 'PersistentVolumeClaim'), ...inSteps];
  return inOrder([...perSite, renderApplySet(site, members)]);
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
    renderServiceAccount(site, instance),
    renderEgressPolicy(of),
    ...filesOf(of),
    ...workloads,
    ...scheduleClaims(of, actionsOf(bound, of)),
  ];
}

/** The ConfigMaps of an instance; node groups share equal ones. */
function filesOf({ files, groupFiles }: InstanceInput): KubernetesObject[] {
  const all = [files, ...groupFiles.values()].flatMap((each) => [...each.values()]);
  return [...new Map(all.map(({ object }) => [object.metadata.name, object])).values()];
}

function inOrder(objects: readonly KubernetesObject[]): KubernetesObject[] {
  const rank = ({ kind }: KubernetesObject): number => FOUNDATION_ORDER.indexOf(kind);
  return [...objects].sort(
    (a, b) => rank(a) - rank(b) || (a.metadata.name < b.metadata.name ? -1 : 1),
  );
}

import { collectErrors } from '#core';
import type { KubernetesObject } from '#ports';
import type { Instance } from '../model/instance.ts';
import type { RenderedAction, SecretRequest, SiteInput, UnorderedStep } from '../model/types.ts';
import { renderDisruptionBudget } from './disruption-budget.ts';
import { renderEgressPolicy } from './egress-policy.ts';
import { renderLeaderAccess } from './leader-access.ts';
import { renderApplySet, renderNamespace, renderServiceAccount } from './namespace.ts';
import { denyIngress, renderNetworkPolicy } from './network-policy.ts';
import { renderActions, renderSchedules } from './render-actions.ts';
import { renderSecretsJob } from './secrets-job.ts';
import { renderServices } from './services.ts';
import { renderSteps } from './steps.ts';
import type { InstanceInput } from './workload.ts';

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
  'CronJob',
];

/** What the objects of a site are rendered from. */
export interface ObjectsInput {
  readonly input: SiteInput;
  readonly instances: ReadonlyMap<string, Instance>;
  readonly inputs: ReadonlyMap<string, InstanceInput>;
  /** Filled by the pods that are rendered. */
  readonly runtimeFiles: ReadonlyMap<string, KubernetesObject>;
  readonly secrets: readonly SecretRequest[];
  readonly unordered: readonly UnorderedStep[];
}

/** All objects of a site. */
export interface RenderedObjects {
  /** In the order they are applied. */
  readonly foundation: readonly KubernetesObject[];
  /** By the step's id. */
  readonly ofSteps: ReadonlyMap<string, readonly KubernetesObject[]>;
  /** By id. */
  readonly actions: readonly RenderedAction[];
}

/** Renders them. Raises together what all renderers raise. */
export function renderObjects({
  input,
  instances,
  inputs,
  runtimeFiles,
  secrets,
  unordered,
}: ObjectsInput): RenderedObjects {
  const { site } = input;
  const eachInstance =
    <T>(render: (of: InstanceInput) => readonly T[]) =>
    (): readonly T[] =>
      collectErrors([...inputs.values()].map((of) => () => render(of))).flat();
  const [ofSecrets, perInstance, ofSteps, actions] = collectErrors([
    () => renderSecretsJob(input, secrets).foundation,
    eachInstance(renderFoundation),
    () => renderSteps(unordered),
    eachInstance(renderActions),
  ]);
  const inSteps = [...ofSteps.values()].flat();
  const beside = [
    renderNamespace(site, [...perInstance, ...inSteps, ...actions.map(({ job }) => job)]),
    ...ofSecrets,
    ...perInstance,
    ...runtimeFiles.values(),
    denyIngress(site, instances),
  ];
  const members = [...beside.filter(({ kind }) => kind !== 'PersistentVolumeClaim'), ...inSteps];
  return {
    foundation: inOrder([...beside, renderApplySet(site, members)]),
    ofSteps,
    actions: [...actions].sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

/** What of an instance is no step. */
function renderFoundation(of: InstanceInput): KubernetesObject[] {
  const {
    input: { site },
    instance,
    instances,
  } = of;
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
    ...renderSchedules(of),
  ];
}

/** Every ConfigMap of an instance once: groups of nodes share those that are the same. */
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

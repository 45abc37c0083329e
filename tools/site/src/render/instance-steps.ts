import type { Phase } from '#definitions';
import type { KubernetesObject } from '#ports';
import { requiredWorkloads } from '../bind/instances.ts';
import { setupScope } from '../bind/scope.ts';
import type { Instance } from '../model/instance.ts';
import { secretName } from '../model/names.ts';
import { isLeftOver, variantsOf } from '../model/node-groups.ts';
import type { UnorderedStep } from '../model/types.ts';
import { renderJob } from './job.ts';
import { renderWorkload, type InstanceInput } from './workload.ts';

/** The step that makes the Secrets; everything else waits for it. */
export const SECRETS_STEP = 'secrets';

const BEFORE: Readonly<Record<Phase | 'roll', readonly (Phase | 'roll')[]>> = {
  bootstrap: [],
  expand: ['bootstrap'],
  migrate: ['bootstrap', 'expand'],
  roll: ['bootstrap', 'expand', 'migrate'],
  contract: ['roll'],
  post: ['roll'],
};

/**
 * Steps of one instance: an account at each provider it waits for once that is ready; then bootstrap, expand, migrate; then the workloads;
 * then contract and post. `contract` holds nothing back, so that an upgrade can put it off. Rendering them raises what `renderPod` raises.
 */
export function instanceSteps(
  instance: Instance,
  inputs: ReadonlyMap<string, InstanceInput>,
): UnorderedStep[] {
  const of = inputs.get(instance.name)!;
  const { spec, name } = instance;
  const providers = providersOf(instance);
  const setups = setupSteps(of, providers, inputs);
  const ready = setups.length > 0 ? setups.map(({ id }) => id) : [SECRETS_STEP];
  const first = [
    ...ready,
    ...providers.flatMap(({ provider }) => readySteps(inputs.get(provider)!.instance)),
  ];
  const waitsFor = (phase: Phase | 'roll', after: readonly string[] = []): string[] => {
    const before = BEFORE[phase].flatMap((earlier) =>
      earlier === 'roll' ? workloadSteps(instance) : jobSteps(instance, earlier),
    );
    return [...new Set([...first, ...before, ...after.map((job) => `${name}/job/${job}`)])];
  };
  const jobs = Object.entries(spec.jobs ?? {}).map(([key, job]): UnorderedStep => ({
    id: `${name}/job/${key}`,
    instance: name,
    phase: job.phase,
    waitsFor: waitsFor(job.phase, job.after),
    render: () => [
      renderJob(of, {
        name: `${name}-${key}`,
        component: key,
        role: job.role,
        path: ['jobs', key],
        spec: job,
      }),
    ],
    at: spec.position(['jobs', key]),
  }));
  return [...setups, ...jobs, ...rollSteps(of, waitsFor('roll'), inputs)];
}

/** A requirement whose provider must be ready first. */
interface AwaitedProvider {
  /** Its key in the app spec. */
  readonly requirement: string;
  /** Instance and what it provides. */
  readonly provider: string;
  readonly provision: string;
}

function providersOf({ bindings }: Instance): AwaitedProvider[] {
  return [...bindings].flatMap(([requirement, binding]) => {
    if (
      !('provider' in binding) ||
      binding.requirement.kind === 'node-service' ||
      binding.requirement.wait === false
    )
      return [];
    return [{ requirement, provider: binding.provider, provision: binding.provision }];
  });
}

/** Makes the instance's account at each provider that has accounts. */
function setupSteps(
  { instance, scope }: InstanceInput,
  providers: readonly AwaitedProvider[],
  inputs: ReadonlyMap<string, InstanceInput>,
): readonly UnorderedStep[] {
  const { name, spec } = instance;
  return providers.flatMap(
    ({ requirement, provider: providerName, provision }): UnorderedStep[] => {
      const provider = inputs.get(providerName)!;
      const setup = provider.instance.spec.provides![provision]!.setup;
      if (setup === undefined) return [];
      const job = (): KubernetesObject =>
        renderJob(
          { ...provider, scope: setupScope(provider.scope, { instance, scope, requirement }) },
          {
            name: `${name}-${requirement}-setup`,
            component: `setup-${requirement}`,
            role: roleOf(provider.instance),
            path: ['provides', provision, 'setup'],
            spec: setup,
          },
        );
      return [
        {
          id: `${name}/setup/${requirement}`,
          instance: name,
          phase: 'setup',
          waitsFor: readySteps(provider.instance),
          render: () => [job()],
          at: spec.position(['requires', requirement]),
        },
      ];
    },
  );
}

/** The instance's workloads: each after what all of them wait for, and after those that it requires itself. */
function rollSteps(
  of: InstanceInput,
  first: readonly string[],
  inputs: ReadonlyMap<string, InstanceInput>,
): UnorderedStep[] {
  const { instance } = of;
  const { spec, name } = instance;
  const together = Object.entries(spec.secrets ?? {})
    .filter(([, secret]) => secret.together === true)
    .map(([key]) => secretName(instance, key));
  return Object.entries(spec.workloads).map(([key, workload]): UnorderedStep => {
    const required = requiredWorkloads(instance, workload).flatMap((each) =>
      variantsOf(inputs.get(each.instance)!.instance, each.workload).map(
        (variant) => `${each.instance}/workload/${variant}`,
      ),
    );
    return {
      id: `${name}/workload/${key}`,
      instance: name,
      phase: 'roll',
      waitsFor: [...new Set([...first, ...required])],
      render: () => [renderWorkload(of, key, workload)],
      ...(together.length === 0 ? {} : { together }),
      ...(isLeftOver(instance.onNodes.get(key)) ? { leftOver: true } : {}),
      ...(workload.replicas?.leave === undefined
        ? {}
        : { leave: `${name}/${workload.replicas.leave}` }),
      at: spec.position(['workloads', key]),
    };
  });
}

/** What must be done before others can use an instance. */
function readySteps(instance: Instance): string[] {
  return [...workloadSteps(instance), ...jobSteps(instance, 'post')];
}

function workloadSteps(instance: Instance): string[] {
  return Object.keys(instance.spec.workloads).map((key) => `${instance.name}/workload/${key}`);
}

function jobSteps(instance: Instance, phase: Phase): string[] {
  return Object.entries(instance.spec.jobs ?? {})
    .filter(([, job]) => job.phase === phase)
    .map(([key]) => `${instance.name}/job/${key}`);
}

function roleOf(instance: Instance): string {
  return Object.values(instance.spec.workloads)[0]!.role;
}

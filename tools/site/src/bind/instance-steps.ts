import { omitUndefined } from '#core';
import type { Phase, Workload } from '#definitions';
import type { Work } from '../model/bound.ts';
import { enabledSchedules } from '../model/enabled-schedules.ts';
import type { Instance } from '../model/instance.ts';
import { secretName } from '../model/names.ts';
import { isLeftOver, variantsOf } from '../model/node-groups.ts';
import { requiredWorkloads } from '../model/required-workloads.ts';
import type { UnboundPod } from './bind-pod.ts';
import type { Scope } from './facts.ts';
import type { UnorderedStep } from './order-steps.ts';
import { setupScope } from './scope.ts';

/** A step whose pod is not resolved yet. */
export interface UnboundStep extends UnorderedStep {
  readonly work: Work<UnboundPod>;
}

/** An instance and the values that its references may use. */
export interface ScopedInstance {
  readonly instance: Instance;
  readonly scope: Scope;
}

/** The step that creates the Secrets. All other steps wait for it. */
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
 * Steps of one instance: an account at each provider it waits for, when that is ready; then
 * bootstrap, expand and migrate; then the workloads; then contract and post; then the schedules.
 * Nothing waits for `contract`, so an upgrade can postpone it.
 */
export function instanceSteps(
  instance: Instance,
  all: ReadonlyMap<string, ScopedInstance>,
): UnboundStep[] {
  const of = all.get(instance.name)!;
  const { spec, name } = instance;
  const providers = providersOf(instance);
  const setups = setupSteps(of, providers, all);
  const ready = setups.length > 0 ? setups.map(({ id }) => id) : [SECRETS_STEP];
  const first = [
    ...ready,
    ...providers.flatMap(({ provider }) => readySteps(all.get(provider)!.instance)),
  ];
  const waitsFor = (phase: Phase | 'roll', after: readonly string[] = []): string[] => {
    const before = BEFORE[phase].flatMap((earlier) =>
      earlier === 'roll' ? workloadSteps(instance) : jobSteps(instance, earlier),
    );
    return [...new Set([...first, ...before, ...after.map((job) => `${name}/job/${job}`)])];
  };
  const jobs = Object.entries(spec.jobs ?? {}).map(([key, job]): UnboundStep => ({
    id: `${name}/job/${key}`,
    instance: name,
    phase: job.phase,
    waitsFor: waitsFor(job.phase, job.after),
    work: {
      kind: 'job',
      name: `${name}-${key}`,
      component: key,
      role: job.role,
      spec: job,
      pod: { ...of, containers: { [key]: { spec: job, path: ['jobs', key] } } },
    },
    at: spec.position(['jobs', key]),
  }));
  const schedules = enabledSchedules(instance).map((key): UnboundStep => ({
    id: `${name}/schedule/${key}`,
    instance: name,
    phase: 'schedule',
    waitsFor: [...new Set([...waitsFor('post'), ...jobSteps(instance, 'post')])],
    work: { kind: 'schedule', instance: name, name: key },
    at: spec.position(['schedule', key]),
  }));
  return [...setups, ...jobs, ...rollSteps(of, waitsFor('roll'), all), ...schedules];
}

/** A requirement whose provider must be ready first. */
interface AwaitedProvider {
  /** Its key in the app spec. */
  readonly requirement: string;
  /** An instance and its provision. */
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

/** Steps that create the instance's account at each provider with accounts. */
function setupSteps(
  { instance, scope }: ScopedInstance,
  providers: readonly AwaitedProvider[],
  all: ReadonlyMap<string, ScopedInstance>,
): readonly UnboundStep[] {
  const { name, spec } = instance;
  return providers.flatMap(({ requirement, provider: providerName, provision }): UnboundStep[] => {
    const provider = all.get(providerName)!;
    const setup = provider.instance.spec.provides![provision]!.setup;
    if (setup === undefined) return [];
    const component = `setup-${requirement}`;
    return [
      {
        id: `${name}/setup/${requirement}`,
        instance: name,
        phase: 'setup',
        waitsFor: readySteps(provider.instance),
        work: {
          kind: 'job',
          name: `${name}-${requirement}-setup`,
          component,
          role: roleOf(provider.instance),
          spec: setup,
          pod: {
            instance: provider.instance,
            scope: setupScope(provider.scope, { instance, scope, requirement }),
            containers: { [component]: { spec: setup, path: ['provides', provision, 'setup'] } },
          },
        },
        at: spec.position(['requires', requirement]),
      },
    ];
  });
}

/** Steps of the workloads: each waits for `first` and for the workloads that it requires. */
function rollSteps(
  of: ScopedInstance,
  first: readonly string[],
  all: ReadonlyMap<string, ScopedInstance>,
): UnboundStep[] {
  const { instance } = of;
  const { spec, name } = instance;
  const together = Object.entries(spec.secrets ?? {})
    .filter(([, secret]) => secret.together === true)
    .map(([key]) => secretName(instance, key));
  return Object.entries(spec.workloads).map(([key, workload]): UnboundStep => {
    const leave = workload.replicas?.leave;
    const required = requiredWorkloads(instance, workload).flatMap((each) =>
      variantsOf(all.get(each.instance)!.instance, each.workload).map(
        (variant) => `${each.instance}/workload/${variant}`,
      ),
    );
    return {
      id: `${name}/workload/${key}`,
      instance: name,
      phase: 'roll',
      waitsFor: [...new Set([...first, ...required])],
      work: { kind: 'workload', name: key, workload, pod: workloadPod(of, key, workload) },
      ...omitUndefined({
        together: together.length === 0 ? undefined : together,
        leftOver: isLeftOver(instance.onNodes.get(key)) ? true : undefined,
        leave: leave === undefined ? undefined : `${name}/${leave}`,
      }),
      at: spec.position(['workloads', key]),
    };
  });
}

function workloadPod(
  { instance, scope }: ScopedInstance,
  name: string,
  { containers }: Workload,
): UnboundPod {
  const { settings, onNodes } = instance;
  const { of: workload = name, group = '' } = onNodes.get(name) ?? {};
  const ofGroup = settings.nodes?.[group]?.resources?.[workload];
  const entries = Object.entries(containers).map(([key, spec]) => {
    const resources = ofGroup?.[key] ?? settings.resources?.[workload]?.[key];
    const path = ['workloads', workload, 'containers', key];
    return [key, { spec, path, ...omitUndefined({ resources }) }] as const;
  });
  return { instance, scope, workload, containers: Object.fromEntries(entries) };
}

/** Steps that must be done before other instances can use an instance. */
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

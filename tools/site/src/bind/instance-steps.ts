import { omitUndefined } from '#core';
import type { JobContainer, Phase, Workload } from '#definitions';
import type { Work } from '../model/bound.ts';
import { enabledSchedules } from '../model/enabled-schedules.ts';
import type { Instance } from '../model/instance.ts';
import { generationOf, secretName } from '../model/names.ts';
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
  const rolls = rollSteps(of, waitsFor('roll'), all);
  const last = [...rolls, ...schedules].map(({ id }) => id);
  const after = [...new Set([...last, ...first, ...jobSteps(instance, 'post')])];
  return [...setups, ...jobs, ...rolls, ...schedules, ...retireSteps(of, providers, all, after)];
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
  of: ScopedInstance,
  providers: readonly AwaitedProvider[],
  all: ReadonlyMap<string, ScopedInstance>,
): readonly UnboundStep[] {
  return providers.flatMap((awaited): UnboundStep[] => {
    const provider = all.get(awaited.provider)!;
    const setup = provider.instance.spec.provides![awaited.provision]!.setup;
    return setup === undefined
      ? []
      : [
          accountStep(
            of,
            awaited,
            provider,
            { word: 'setup', setup },
            readySteps(provider.instance),
          ),
        ];
  });
}

/** Steps that remove the passwords of earlier generations at each provider that keeps them. */
function retireSteps(
  of: ScopedInstance,
  providers: readonly AwaitedProvider[],
  all: ReadonlyMap<string, ScopedInstance>,
  waitsFor: readonly string[],
): readonly UnboundStep[] {
  return providers.flatMap((awaited): UnboundStep[] => {
    const provider = all.get(awaited.provider)!;
    const { setup, retire } = provider.instance.spec.provides![awaited.provision]!;
    const generation = generationOf(of.instance, awaited.requirement);
    if (setup === undefined || retire === undefined || generation === 1) return [];
    const work = { word: 'retire', setup: { ...setup, env: { ...setup.env, ...retire.env } } };
    const retires = Array.from({ length: generation - 1 }, (_, index) =>
      secretName(of.instance, awaited.requirement, index + 1),
    );
    return [{ ...accountStep(of, awaited, provider, work, waitsFor), retires }];
  });
}

/** A step whose Job changes the instance's account at a provider. */
function accountStep(
  { instance, scope }: ScopedInstance,
  { requirement, provision }: AwaitedProvider,
  provider: ScopedInstance,
  { word, setup }: { readonly word: string; readonly setup: JobContainer },
  waitsFor: readonly string[],
): UnboundStep {
  const { name, spec } = instance;
  const component = `${word}-${requirement}`;
  return {
    id: `${name}/${word}/${requirement}`,
    instance: name,
    phase: 'setup',
    waitsFor,
    work: {
      kind: 'job',
      name: `${name}-${requirement}-${word}`,
      component,
      role: roleOf(provider.instance),
      spec: setup,
      pod: {
        instance: provider.instance,
        scope: setupScope(provider.scope, {
          instance,
          scope,
          requirement,
          provision: provider.instance.spec.provides![provision]!,
        }),
        containers: { [component]: { spec: setup, path: ['provides', provision, 'setup'] } },
      },
    },
    at: spec.position(['requires', requirement]),
  };
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

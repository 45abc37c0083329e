import type { Phase } from '#definitions';
import type { KubernetesObject } from '#ports';
import { requiredWorkloads, type Instance } from './instances.ts';
import { renderJob } from './job.ts';
import { secretName } from './names.ts';
import { isLeftOver, variantsOf } from './node-groups.ts';
import { setupScope } from './scope.ts';
import type { UnorderedStep } from './steps.ts';
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
export function instanceSteps(instance: Instance, inputs: ReadonlyMap<string, InstanceInput>): UnorderedStep[] {
  const of = inputs.get(instance.name)!;
  const { spec, name } = instance;
  const providers = [...instance.bindings].flatMap(([requirement, binding]) =>
    'provider' in binding && binding.requirement.kind !== 'node-service' && binding.requirement.wait !== false ? [{ requirement, binding }] : [],
  );
  const setups = providers.flatMap(({ requirement, binding }) => {
    const provider = inputs.get(binding.provider)!;
    const setup = provider.instance.spec.provides![binding.provision]!.setup;
    return setup === undefined ? [] : [{ id: `${name}/setup/${requirement}`, requirement, binding, provider, setup }];
  });
  const setupSteps = setups.map(({ id, requirement, binding, provider, setup }): UnorderedStep => {
    const job = (): KubernetesObject =>
      renderJob(
        { ...provider, scope: setupScope(provider.scope, { instance, scope: of.scope, requirement }) },
        {
          name: `${name}-${requirement}-setup`,
          component: `setup-${requirement}`,
          role: roleOf(provider.instance),
          path: ['provides', binding.provision, 'setup'],
          spec: setup,
        },
      );
    return { id, instance: name, phase: 'setup', waitsFor: readySteps(provider.instance), render: () => [job()], at: spec.position(['requires', requirement]) };
  });
  const ready = setups.length > 0 ? setups.map(({ id }) => id) : [SECRETS_STEP];
  const first = [...ready, ...providers.flatMap(({ binding }) => readySteps(inputs.get(binding.provider)!.instance))];
  const waitsFor = (phase: Phase | 'roll', after: readonly string[] = []): string[] => {
    const before = BEFORE[phase].flatMap((earlier) => (earlier === 'roll' ? workloadSteps(instance) : jobSteps(instance, earlier)));
    return [...new Set([...first, ...before, ...after.map((job) => `${name}/job/${job}`)])];
  };
  const jobs = Object.entries(spec.jobs ?? {}).map(([key, job]): UnorderedStep => ({
    id: `${name}/job/${key}`,
    instance: name,
    phase: job.phase,
    waitsFor: waitsFor(job.phase, job.after),
    render: () => [renderJob(of, { name: `${name}-${key}`, component: key, role: job.role, path: ['jobs', key], spec: job })],
    at: spec.position(['jobs', key]),
  }));
  const together = Object.entries(spec.secrets ?? {})
    .filter(([, secret]) => secret.together === true)
    .map(([key]) => secretName(instance, key));
  const workloads = Object.entries(spec.workloads).map(([key, workload]): UnorderedStep => ({
    id: `${name}/workload/${key}`,
    instance: name,
    phase: 'roll',
    waitsFor: [
      ...new Set([
        ...waitsFor('roll'),
        ...requiredWorkloads(instance, workload).flatMap((required) =>
          variantsOf(inputs.get(required.instance)!.instance, required.workload).map((variant) => `${required.instance}/workload/${variant}`),
        ),
      ]),
    ],
    render: () => [renderWorkload(of, key, workload)],
    ...(together.length === 0 ? {} : { together }),
    ...(isLeftOver(instance.onNodes.get(key)) ? { leftOver: true } : {}),
    ...(workload.replicas?.leave === undefined ? {} : { leave: `${name}/${workload.replicas.leave}` }),
    at: spec.position(['workloads', key]),
  }));
  return [...setupSteps, ...jobs, ...workloads];
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

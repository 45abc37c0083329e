import type { AppSpec, Workload } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { SchemaRevisions } from '#release';
import type { Bound, BoundStep } from '../model/bound.ts';
import type { Instance } from '../model/instance.ts';
import { databaseNames } from '../model/names.ts';
import { keyOf, type ObjectKey } from '../model/object-key.ts';
import type { InstanceSchema, Step } from '../model/types.ts';

/**
 * The schemas of all instances with migrations; undefined without any. An app without a job
 * of the phase `contract` runs the contract branch together with the expand branch.
 */
export function renderSchemas(
  { site, instances, migrations, steps: bound }: Bound,
  steps: readonly Step[],
): Readonly<Record<string, InstanceSchema>> | undefined {
  const objectsOf = (wanted: readonly BoundStep[]): KubernetesObject[] => {
    const ids = new Set(wanted.map(({ id }) => id));
    return steps.filter(({ id }) => ids.has(id)).flatMap(({ objects }) => objects);
  };
  const keysOf = (wanted: readonly BoundStep[]): ObjectKey[] =>
    objectsOf(wanted)
      .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
      .map((object) => keyOf(object, site));
  const found = [...instances.values()].flatMap((instance): [string, InstanceSchema][] => {
    const { name, spec } = instance;
    const revisions = migrations.get(spec.name);
    const phases = Object.values(spec.jobs ?? {}).map(({ phase }) => phase);
    if (revisions === undefined || !phases.includes('expand')) return [];
    const databases = databaseBindings(instance).flatMap(({ names, provider, workload }) => {
      const [key] = keysOf(bound.filter((step) => isWorkload(step, provider, workload)));
      return key === undefined ? [] : names.map((database) => [database, key] as const);
    });
    return [
      [
        name,
        {
          ...(phases.includes('contract') ? inParts(revisions) : { revisions }),
          databases: Object.fromEntries(databases),
          users: keysOf(bound.filter((step) => step.instance === name && usesDatabase(step, spec))),
        },
      ],
    ];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** The databases of an instance, and the workload that serves them. */
function databaseBindings(instance: Instance): {
  readonly names: readonly string[];
  readonly provider: string;
  readonly workload: string;
}[] {
  return [...instance.bindings].flatMap(([name, binding]) =>
    'provider' in binding && binding.requirement.kind === 'database'
      ? [{ ...binding, names: databaseNames(instance, name) }]
      : [],
  );
}

function isWorkload({ instance, work }: BoundStep, provider: string, name: string): boolean {
  return instance === provider && work.kind === 'workload' && work.name === name;
}

function usesDatabase(step: BoundStep, spec: AppSpec): boolean {
  const databases = Object.entries(spec.requires ?? {}).filter(
    ([, { kind }]) => kind === 'database',
  );
  return usesRequirement(
    step,
    databases.map(([name]) => name),
  );
}

/** Migrations before and after the update of workloads. */
function inParts(all: SchemaRevisions): Pick<InstanceSchema, 'revisions' | 'contracting'> {
  const part = (contract: boolean): SchemaRevisions =>
    Object.fromEntries(
      Object.entries(all).filter(([, revision]) => (revision.contract === true) === contract),
    );
  return { revisions: part(false), contracting: part(true) };
}

/** Whether a container of a workload's step has a value of one of these requirements. */
export function usesRequirement({ work }: BoundStep, names: readonly string[]): boolean {
  if (work.kind !== 'workload') return false;
  return environments(work.workload).some((value) =>
    names.some((name) => value.includes(`\${requires.${name}.`)),
  );
}

function environments({ containers }: Workload): string[] {
  return Object.values(containers).flatMap(({ env }) => Object.values(env ?? {}).map(String));
}

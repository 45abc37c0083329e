import type { AppSpec, Workload } from '#definitions';
import type { SchemaRevisions } from '#release';
import type { Bound, BoundStep } from '../model/bound.ts';
import { keyOf } from '../model/object-key.ts';
import type { InstanceSchema, Step } from '../model/types.ts';

/**
 * The schemas of all instances with migrations; undefined without any. An app without a job
 * of the phase `contract` runs the contract branch together with the expand branch.
 */
export function renderSchemas(
  { site, instances, migrations, steps: bound }: Bound,
  steps: readonly Step[],
): Readonly<Record<string, InstanceSchema>> | undefined {
  const found = [...instances].flatMap(([name, { spec }]): [string, InstanceSchema][] => {
    const revisions = migrations.get(spec.name);
    const phases = Object.values(spec.jobs ?? {}).map(({ phase }) => phase);
    if (revisions === undefined || !phases.includes('expand')) return [];
    const users = bound.filter((step) => step.instance === name && usesDatabase(step, spec));
    const ids = new Set(users.map(({ id }) => id));
    return [
      [
        name,
        {
          revisions: phases.includes('contract') ? withoutContract(revisions) : revisions,
          users: steps
            .filter(({ id }) => ids.has(id))
            .flatMap(({ objects }) => objects)
            .filter(({ kind }) => kind === 'Deployment' || kind === 'StatefulSet')
            .map((object) => keyOf(object, site)),
        },
      ],
    ];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function withoutContract(revisions: SchemaRevisions): SchemaRevisions {
  return Object.fromEntries(Object.entries(revisions).filter(([, { contract }]) => !contract));
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

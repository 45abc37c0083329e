import type { Bound } from '../model/bound.ts';
import { keyOf, type ObjectKey } from '../model/object-key.ts';
import type { Step } from '../model/types.ts';
import { usesRequirement } from './schemas.ts';

/**
 * The objects that stop while the data of an instance's workload is replaced: workloads that use
 * it, the caches of their instances, and the CronJobs of all these instances.
 */
export function stoppedWorkloads(
  { site, instances, steps: bound }: Pick<Bound, 'site' | 'instances' | 'steps'>,
  steps: readonly Step[],
  { instance, workload }: { readonly instance: string; readonly workload: string },
): readonly ObjectKey[] {
  const stopped = new Set<string>();
  const scheduled = new Set([instance]);
  for (const [name, { bindings }] of instances) {
    const all = [...bindings].flatMap(([requirement, binding]) =>
      'secret' in binding ? [] : [{ ...binding, name: requirement }],
    );
    const uses = all.filter((each) => each.provider === instance && each.workload === workload);
    if (uses.length === 0) continue;
    scheduled.add(name);
    const requirements = uses.map((each) => each.name);
    for (const step of bound)
      if (step.instance === name && usesRequirement(step, requirements)) stopped.add(step.id);
    for (const cache of all.filter(({ requirement }) => requirement.kind === 'cache'))
      stopped.add(`${cache.provider}/workload/${cache.workload}`);
  }
  return steps
    .filter(
      (step) =>
        stopped.has(step.id) || (step.phase === 'schedule' && scheduled.has(step.instance ?? '')),
    )
    .flatMap(({ objects }) => objects)
    .filter(({ kind }) => ['Deployment', 'StatefulSet', 'DaemonSet', 'CronJob'].includes(kind))
    .map((object) => keyOf(object, site));
}

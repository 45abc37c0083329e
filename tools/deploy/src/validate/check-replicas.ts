import type { FileFindings } from '#core';
import type { Overrides } from './check-overrides.ts';

/** Numbers of replicas that a workload cannot have. */
export function checkReplicas({ name, spec, settings }: Overrides, { refuse }: FileFindings): void {
  for (const [workload, definition] of Object.entries(spec.workloads)) {
    const path = ['apps', name, 'replicas', workload];
    if (definition.kind === 'DaemonSet') {
      if (settings.replicas?.[workload] !== undefined)
        refuse(path, `"${workload}" has a pod on every node of its role, not a number of them`, 'label more or fewer nodes');
      continue;
    }
    const replicas = settings.replicas?.[workload] ?? definition.replicas.default;
    const { rule, maximum = Infinity } = definition.replicas;
    if (rule === 'odd' && replicas > 0 && replicas % 2 === 0)
      refuse(path, `"${workload}" needs an odd number of replicas to keep a quorum, not ${replicas}`, `use ${replicas - 1} or ${replicas + 1}`);
    if (replicas > maximum) refuse(path, `"${workload}" runs with at most ${maximum} replicas, not ${replicas}`);
  }
}

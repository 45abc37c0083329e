import type { CcpError } from '#core';
import type { Overrides } from './instance-overrides.ts';
import { siteFindings } from './site-findings.ts';

/** Reports invalid numbers of replicas. */
export function checkReplicas(of: Overrides): readonly CcpError[] {
  const { findings, refuse } = siteFindings(of.site);
  const { name, spec, settings } = of;
  for (const [workload, definition] of Object.entries(spec.workloads)) {
    const path = ['apps', name, 'replicas', workload];
    if (definition.kind === 'DaemonSet') {
      if (settings.replicas?.[workload] !== undefined)
        refuse(
          path,
          `"${workload}" is a DaemonSet with one pod on each node of its role; it has no number of replicas`,
          'label more nodes or fewer nodes with the role',
        );
      continue;
    }
    const replicas = settings.replicas?.[workload] ?? definition.replicas.default;
    const { rule, maximum = Infinity } = definition.replicas;
    if (rule === 'odd' && replicas > 0 && replicas % 2 === 0)
      refuse(
        path,
        `"${workload}" needs an odd number of replicas for its quorum, not ${replicas}`,
        `use ${replicas - 1} or ${replicas + 1}`,
      );
    if (replicas > maximum)
      refuse(path, `"${workload}" runs with at most ${maximum} replicas, not ${replicas}`);
  }
  return findings;
}

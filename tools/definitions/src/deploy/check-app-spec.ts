import type { CcpError } from '#core';
import type { AppSpec } from './app-spec.ts';
import { checkActions } from './check-actions.ts';
import { checkRequirementCondition } from './check-condition.ts';
import { checkJobContainer } from './check-container.ts';
import { checkProvision, checkRequirements } from './check-provisions.ts';
import { checkSettingSpecs } from './check-settings.ts';
import { checkWorkload } from './check-workload.ts';
import { specFindings } from './spec-findings.ts';

/** Findings (`app-spec-invalid`) for unknown names and contradictions in an app spec. */
export function checkAppSpec(spec: AppSpec): readonly CcpError[] {
  const found = specFindings(spec);
  for (const [name, workload] of Object.entries(spec.workloads))
    checkWorkload(spec, name, workload, found);
  for (const [name, job] of Object.entries(spec.jobs ?? {})) {
    checkJobContainer(spec, ['jobs', name], job, found);
    const peers = Object.entries(spec.jobs ?? {}).filter(([, other]) => other.phase === job.phase);
    for (const [index, after] of (job.after ?? []).entries())
      found.known(
        ['jobs', name, 'after', index],
        `job of phase ${job.phase}`,
        after,
        peers.map(([peer]) => peer),
      );
  }
  for (const group of ['actions', 'checks'] as const) {
    for (const [name, action] of Object.entries(spec[group] ?? {}))
      checkJobContainer(spec, [group, name], action, found);
  }
  for (const [name, { layers }] of Object.entries(spec.config ?? {}))
    layers.forEach((layer, index) =>
      checkRequirementCondition(spec, ['config', name, 'layers', index], layer.when, found),
    );
  checkSettingSpecs(spec, found);
  checkActions(spec, found);
  checkRequirements(spec, found);
  for (const [name, provision] of Object.entries(spec.provides ?? {}))
    checkProvision(spec, name, provision, found);
  return found.findings;
}

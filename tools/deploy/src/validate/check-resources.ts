import type { FileFindings, KeyPath } from '#core';
import type { AppSpec, SiteApp } from '#definitions';
import type { Overrides } from './check-overrides.ts';

/** Resources of workloads and containers that the app does not have, or of what is the same on all nodes in a group of them. */
export function checkResources({ name, spec, settings }: Overrides, found: FileFindings): void {
  checkNames(spec, settings.resources, { path: ['apps', name, 'resources'], what: 'workload', workloads: Object.keys(spec.workloads) }, found);
  const onNodes = Object.keys(spec.workloads).filter((workload) => spec.workloads[workload]!.kind === 'DaemonSet');
  for (const [group, { resources }] of Object.entries(settings.nodes ?? {})) {
    checkNames(spec, resources, { path: ['apps', name, 'nodes', group, 'resources'], what: 'DaemonSet', workloads: onNodes }, found);
  }
}

function checkNames(spec: AppSpec, resources: SiteApp['resources'] = {}, { path, what, workloads }: { readonly path: KeyPath; readonly what: string; readonly workloads: readonly string[] }, { known }: FileFindings): void {
  for (const [workload, containers] of Object.entries(resources)) {
    known([...path, workload], `"${spec.name}" has no ${what}`, workload, workloads);
    if (!workloads.includes(workload)) continue;
    for (const container of Object.keys(containers)) known([...path, workload, container], `"${workload}" of "${spec.name}" has no container`, container, Object.keys(spec.workloads[workload]!.containers));
  }
}

import type { CcpError, KeyPath } from '#core';
import type { AppSpec, Site, SiteApp } from '#definitions';
import { resourceFaults } from '#formats';
import type { Overrides } from './instance-overrides.ts';
import { siteFindings } from './site-findings.ts';

/**
 * Reports resources of unknown workloads and containers, and requests above limits. Node groups may
 * set DaemonSets only.
 */
export function checkResources({ site, name, spec, settings }: Overrides): readonly CcpError[] {
  const onNodes = Object.keys(spec.workloads).filter(
    (workload) => spec.workloads[workload]!.kind === 'DaemonSet',
  );
  const own = checkEach(site, spec, settings.resources, {
    path: ['apps', name, 'resources'],
    what: 'workload',
    workloads: Object.keys(spec.workloads),
  });
  const ofGroups = Object.entries(settings.nodes ?? {}).flatMap(([group, { resources }]) =>
    checkEach(site, spec, resources, {
      path: ['apps', name, 'nodes', group, 'resources'],
      what: 'DaemonSet',
      workloads: onNodes,
    }),
  );
  return [...own, ...ofGroups];
}

function checkEach(
  site: Site,
  spec: AppSpec,
  resources: SiteApp['resources'] = {},
  {
    path,
    what,
    workloads,
  }: { readonly path: KeyPath; readonly what: string; readonly workloads: readonly string[] },
): readonly CcpError[] {
  const { findings, refuse, known } = siteFindings(site);
  for (const [workload, containers] of Object.entries(resources)) {
    known([...path, workload], `"${spec.name}" has no ${what}`, workload, workloads);
    if (!workloads.includes(workload)) continue;
    const there = spec.workloads[workload]!.containers;
    for (const [container, { requests, limits }] of Object.entries(containers)) {
      known(
        [...path, workload, container],
        `"${workload}" of "${spec.name}" has no container`,
        container,
        Object.keys(there),
      );
      const own = there[container]?.resources;
      if (own === undefined) continue;
      const faults = resourceFaults({
        requests: { ...own.requests, ...requests },
        limits: { ...own.limits, ...limits },
      });
      for (const { resource, message } of faults)
        refuse(
          [...path, workload, container],
          `the container "${container}" of "${workload}" ${message}`,
          `set both: requests.${resource} and limits.${resource}`,
        );
    }
  }
  return findings;
}

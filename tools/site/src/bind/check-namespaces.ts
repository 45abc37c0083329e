import type { CcpError } from '#core';
import type { Site } from '#definitions';
import type { Instance } from '../model/instance.ts';
import { isNodeWorkload, nodeNamespaceOf } from '../model/namespaces.ts';
import { siteFindings } from './site-findings.ts';

/** Maximum length of a namespace's name. */
const MOST = 63;

/**
 * Refuses namespaces of Kubernetes itself, since the site labels its namespaces, and endpoints with
 * a host whose pods need rights on their node: routes lead to Services of their own namespace.
 */
export function checkNamespaces(
  site: Site,
  instances: ReadonlyMap<string, Instance>,
): readonly CcpError[] {
  const { findings, refuse } = siteFindings(site);
  const node = nodeNamespaceOf(site);
  for (const key of ['namespace', 'nodeNamespace'] as const)
    if (site[key]?.startsWith('kube-') === true)
      refuse(
        [key],
        `the namespace "${site[key]}" is reserved for Kubernetes`,
        'use another namespace',
      );
  if (node === site.namespace) return findings;
  if (node.length > MOST)
    refuse(
      ['namespace'],
      `the namespace "${node}" of workloads that need rights on their node would have more than ${MOST} characters`,
      'set nodeNamespace',
    );
  for (const { name, spec, settings } of instances.values())
    for (const endpoint of Object.keys(settings.hosts ?? {})) {
      const workload = spec.workloads[spec.provides?.[endpoint]?.workload ?? ''];
      if (workload !== undefined && isNodeWorkload(workload))
        refuse(
          ['apps', name, 'hosts', endpoint],
          `pods of "${endpoint}" need rights on their node, so they are in the namespace "${node}", but routes to hosts are in "${site.namespace}"`,
          `remove the host, or set nodeNamespace: ${site.namespace}`,
        );
    }
  return findings;
}

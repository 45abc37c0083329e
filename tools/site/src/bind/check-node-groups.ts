import type { CcpError } from '#core';
import type { Overrides } from './instance-overrides.ts';
import { siteFindings } from './site-findings.ts';

/**
 * Reports node groups with unknown configuration files, and groups whose nodes all match an earlier
 * group.
 */
export function checkNodeGroups(of: Overrides): readonly CcpError[] {
  const { findings, refuse, known } = siteFindings(of.site);
  const { name, spec, settings } = of;
  if (settings.nodes === undefined) return [];
  const path = ['apps', name, 'nodes'];
  if (!Object.values(spec.workloads).some(({ kind }) => kind === 'DaemonSet'))
    refuse(path, `"${spec.name}" has no DaemonSet, so node groups have no effect`);
  const earlier = new Map<string, string>();
  for (const [group, { config = {}, labels }] of Object.entries(settings.nodes)) {
    for (const file of Object.keys(config))
      known(
        [...path, group, 'config', file],
        `"${spec.name}" has no configuration file`,
        file,
        Object.keys(spec.config ?? {}),
      );
    const takers = labels.map((label) => earlier.get(label) ?? earlier.get(label.split('=')[0]!));
    if (takers.every((taker) => taker !== undefined)) {
      const others = [...new Set(takers)].map((taker) => `"${taker}"`).join(' or ');
      refuse(
        [...path, group, 'labels'],
        `no node can match the group "${group}": nodes with ${labels.join(' or ')} match ${others} first`,
        'put the narrower group first, or remove one group',
      );
    }
    for (const label of labels) if (!earlier.has(label)) earlier.set(label, group);
  }
  return findings;
}

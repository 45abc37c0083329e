import { isRecord } from '#core';
import type { LiveObject } from '#ports';
import { hasRole } from '../hosts/check-roles.ts';
import type { Overrides } from '../record/record.ts';
import type { ApplicationSite } from '../session/engine.ts';

/**
 * The overrides that follow from the hosts: replicas that must not share a host are limited to the
 * number of hosts with their role, an odd number where a quorum needs it. A deployed application
 * never gets fewer replicas than `before`, since members must leave by an action. A cluster without
 * nodes has no limits: it creates them on demand.
 */
export function systemOverrides(
  { workloads, roles }: Pick<ApplicationSite, 'workloads' | 'roles'>,
  nodes: readonly LiveObject[],
  { before, isDeployed }: { readonly before: Overrides; readonly isDeployed: boolean },
): Overrides {
  const overrides: Record<string, { replicas: Record<string, number> }> = {};
  for (const { instance, workload, role, replicas, odd, spread } of workloads) {
    if (spread !== 'required' || nodes.length === 0) continue;
    const hosts = nodes.filter((node) => hasRole(node, roles[role] ?? [])).length;
    const most = odd && hosts % 2 === 0 ? hosts - 1 : hosts;
    const was = replicasIn(before, instance, workload);
    // The first apply decided for the number of the site, which stays.
    const least = isDeployed ? (was ?? replicas) : 1;
    const wanted = Math.min(replicas, Math.max(most, least, 1));
    if (wanted < replicas) (overrides[instance] ??= { replicas: {} }).replicas[workload] = wanted;
  }
  return overrides;
}

function replicasIn(overrides: Overrides, instance: string, workload: string): number | undefined {
  const replicas = overrides[instance]?.['replicas'];
  const found = isRecord(replicas) ? replicas[workload] : undefined;
  return typeof found === 'number' ? found : undefined;
}

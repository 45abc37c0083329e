import { omitUndefined } from '#core';
import type { Cluster, LiveObject } from '#ports';
import type { Home, RenderedSite } from '#site';
import type { ConflictRule } from '../live/conflicts.ts';
import { readLive } from '../live/read-live.ts';
import { readNodes } from '../live/read-nodes.ts';
import type { SiteName } from '../session/site-name.ts';
import { nodeShortages } from './check-nodes.ts';
import { unusedFlags, refuseUnknownRules } from './flag-rules.ts';
import { planDeploy } from './plan-deploy.ts';
import type { DeployPlan } from './types.ts';

/** The user's choices for a plan. */
export interface PlanChoices {
  readonly rules?: readonly ConflictRule[];
  readonly contract?: boolean;
  readonly rollbackTo?: number;
}

/**
 * The plan of a rendered site against a cluster. Reads only. Throws the errors of `readLive` and
 * `refuseUnknownRules`.
 */
export async function makePlan(
  cluster: Cluster,
  site: SiteName,
  rendered: RenderedSite,
  { rules = [], contract = false, rollbackTo }: PlanChoices = {},
): Promise<DeployPlan> {
  const [live, nodes] = await Promise.all([
    readLive(cluster, site, rendered, rules),
    readNodes(cluster),
  ]);
  const plan = planDeploy({
    site: { name: site.name, namespace: site.namespace },
    rendered,
    live,
    contract,
    ...omitUndefined({ rollbackTo }),
  });
  refuseUnknownRules(plan.objects, rules);
  const idle = unusedFlags(plan.objects, rules);
  const shortages = nodes.length === 0 ? [] : workloadShortages(rendered, nodes, site);
  return {
    ...plan,
    ...(idle.length === 0 ? {} : { idle }),
    ...(shortages.length === 0 ? {} : { shortages }),
  };
}

/** Shortages of workloads; those of Jobs have the same cause. */
function workloadShortages(
  rendered: RenderedSite,
  nodes: readonly LiveObject[],
  home: Home,
): string[] {
  return nodeShortages(rendered, nodes, home)
    .filter(({ key }) => !key.startsWith('Job/'))
    .map(({ text }) => text);
}

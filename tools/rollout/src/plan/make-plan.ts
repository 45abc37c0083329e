import type { Cluster } from '#ports';
import type { RenderedSite } from '#site';
import type { ConflictRule } from '../live/conflicts.ts';
import { readLive } from '../live/read-live.ts';
import type { SiteName } from '../session/site-name.ts';
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
  const live = await readLive(cluster, site, rendered, rules);
  const plan = planDeploy({
    site: { name: site.name, namespace: site.namespace },
    rendered,
    live,
    contract,
    ...(rollbackTo === undefined ? {} : { rollbackTo }),
  });
  refuseUnknownRules(plan.objects, rules);
  const idle = unusedFlags(plan.objects, rules);
  return idle.length === 0 ? plan : { ...plan, idle };
}

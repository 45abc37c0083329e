import type { Cluster } from '#ports';
import { readLive, type SiteName } from '../live/read-live.ts';
import type { RenderedSite } from '../types.ts';
import type { ConflictRule } from './conflicts.ts';
import { idleFlags, refuseStrangeRules } from './flag-rules.ts';
import { planDeploy } from './plan-deploy.ts';
import type { DeployPlan } from './types.ts';

/** What a person asks of a plan beside the rendered site. */
export interface PlanChoices {
  readonly rules?: readonly ConflictRule[];
  readonly contract?: boolean;
  readonly rollbackTo?: number;
}

/** The plan of a rendered site against a cluster; reads only. Raises what `readLive` and `refuseStrangeRules` raise. */
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
  refuseStrangeRules(plan.objects, rules);
  const idle = idleFlags(plan.objects, rules);
  return idle.length === 0 ? plan : { ...plan, idle };
}

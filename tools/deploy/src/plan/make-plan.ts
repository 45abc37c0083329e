import type { Cluster } from '#ports';
import { readLive, type SiteName } from '../live/read-live.ts';
import type { RenderedSite } from '../types.ts';
import type { ConflictRule } from './conflicts.ts';
import { planDeploy } from './plan-deploy.ts';
import type { DeployPlan } from './types.ts';

/** What a person asks of a plan beside the rendered site. */
export interface PlanChoices {
  readonly rules?: readonly ConflictRule[];
  readonly contract?: boolean;
  readonly rollbackTo?: number;
}

/** The plan of a rendered site against a cluster; reads only. Raises what `readLive` raises. */
export async function makePlan(
  cluster: Cluster,
  site: SiteName,
  rendered: RenderedSite,
  { rules = [], contract = false, rollbackTo }: PlanChoices = {},
): Promise<DeployPlan> {
  const live = await readLive(cluster, site, rendered, rules);
  return planDeploy({ site: { name: site.name, namespace: site.namespace }, rendered, live, contract, ...(rollbackTo === undefined ? {} : { rollbackTo }) });
}

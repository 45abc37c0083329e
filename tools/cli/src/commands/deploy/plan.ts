import { checkPlan, deployPlanLines, deployPlanText, makePlan } from '#rollout';
import { layOutSite } from '#site';
import type { CommandContext } from '../../command.ts';
import { conflictRules, type ConflictFlags } from '../../compose/deploy/conflict-rules.ts';
import {
  siteInput,
  withCluster,
  type ClusterFlags,
  type SetFlags,
} from '../../compose/deploy/open-site.ts';
import { planSources } from '../../compose/deploy/plan-sources.ts';
import { writeNamed } from '../../state/named-file.ts';

export interface DeployPlanFlags extends ClusterFlags, SetFlags, ConflictFlags {
  readonly output?: string;
  readonly contract?: boolean;
}

/**
 * `ccp deploy plan SITE`: shows the changes of an apply; only reads. Throws if the plan cannot be
 * applied.
 */
export async function plan(
  context: CommandContext,
  [name = '']: readonly string[],
  flags: DeployPlanFlags,
): Promise<number> {
  return await withCluster(context, name, flags, async ({ site, cluster }) => {
    const input = siteInput(context, () => site, flags);
    const made = await makePlan(cluster, site, layOutSite(input), {
      rules: conflictRules(flags, site),
      contract: flags.contract === true,
    });
    context.output.result(deployPlanLines(made).join('\n'), made);
    checkPlan(made);
    if (flags.output !== undefined) {
      writeNamed(
        flags.output,
        deployPlanText({ ...made, sources: planSources(context.root, input) }),
      );
      context.output.info(`plan written to ${flags.output}`);
    }
    return 0;
  });
}

import { deployPlanLines, findRollback, makePlan } from '#rollout';
import type { CommandContext } from '../../command.ts';
import { conflictRules, type ConflictFlags } from '../../compose/deploy/conflict-rules.ts';
import { withCluster, type ClusterFlags } from '../../compose/deploy/open-site.ts';
import { runApply } from '../../compose/deploy/run-apply.ts';

export interface RollbackFlags extends ClusterFlags, ConflictFlags {
  readonly to?: number;
  readonly plan?: boolean;
  readonly checks?: boolean;
}

/**
 * `ccp deploy rollback SITE`: rolls back to the last good revision or to `--to`; `--plan` only
 * shows the changes.
 */
export async function rollback(
  context: CommandContext,
  [name = '']: readonly string[],
  flags: RollbackFlags,
): Promise<number> {
  return await withCluster(context, name, flags, async (running) => {
    const { site, cluster } = running;
    const { record, rendered } = await findRollback(cluster, site, flags.to);
    const choices = { rules: conflictRules(flags, site), rollbackTo: record.revision };
    context.output.info(
      `rolling back to revision ${record.revision}, good since ${record.endedAt}`,
    );
    if (flags.plan !== true)
      return await runApply(context, running, rendered, choices, flags.checks);
    const made = await makePlan(cluster, site, rendered, choices);
    context.output.result(deployPlanLines(made).join('\n'), made);
    return 0;
  });
}

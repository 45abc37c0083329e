import { Option } from 'commander';
import type { CommandDefinition } from '../../command.ts';
import { conflictRules, type ConflictFlags } from '../../compose/deploy/conflict-rules.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { CHECKS, CLUSTER, CONFLICTS, parseCount } from '../../options.ts';

export interface SiteRollbackFlags extends ClusterFlags, ConflictFlags {
  readonly to?: number;
  readonly plan?: boolean;
  readonly checks?: boolean;
}

/**
 * `ccp deploy rollback SITE`: rolls back to the last good revision or to `--to`; `--plan` only
 * shows the changes.
 */
export const rollback: CommandDefinition<SiteRollbackFlags> = {
  usage: 'rollback <site>',
  description: 'roll back to the last good revision',
  options: [
    new Option('--to <revision>', 'revision to roll back to').argParser(parseCount),
    new Option('--plan', 'only show what the rollback would change'),
    CHECKS,
    ...CONFLICTS,
    ...CLUSTER,
  ],
  examples: ['ccp deploy rollback example --plan', 'ccp deploy rollback example --to 3'],
  run: async (context, [name = ''], flags) => {
    const { deployPlanLines, findRollback, makePlan } = await import('#rollout');
    const { withCluster } = await import('../../compose/deploy/open-site.ts');
    const { colourSign } = await import('../../report/colour.ts');
    const { runApply } = await import('../../compose/deploy/run-apply.ts');
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
      context.output.result(deployPlanLines(made).join('\n'), made, colourSign);
      return 0;
    });
  },
};

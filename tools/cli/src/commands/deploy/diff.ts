import type { CommandDefinition } from '../../command.ts';
import { conflictRules, type ConflictFlags } from '../../compose/deploy/conflict-rules.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { CLUSTER, CONFLICTS } from '../../options.ts';
import { EXIT } from '../../report/exit-codes.ts';

/**
 * `ccp deploy diff SITE`: differences between the cluster and the newest revision; exits with 7 if
 * there are any.
 */
export const diff: CommandDefinition<ClusterFlags & ConflictFlags> = {
  usage: 'diff <site>',
  description:
    'show differences between the cluster and the newest revision; exits with 7 if it finds any',
  options: [...CONFLICTS, ...CLUSTER],
  examples: ['ccp deploy diff example'],
  run: async (context, [name = ''], flags) => {
    const { deployPlanLines, driftOf, makePlan, openStatus } = await import('#rollout');
    const { withCluster } = await import('../../compose/deploy/open-site.ts');
    const { colourSign } = await import('../../report/colour.ts');
    return await withCluster(context, name, flags, async ({ site, cluster, engine }) => {
      const open = await openStatus(cluster, site, engine.clock);
      await open.close();
      const drift = await makePlan(cluster, site, open.rendered, {
        rules: conflictRules(flags, site),
      });
      const differs =
        drift.objects.some(
          (object) => object.action !== 'unchanged' || driftOf(object).length > 0,
        ) || drift.prune.length > 0;
      context.output.result(
        deployPlanLines(drift, { additions: true }).join('\n'),
        drift,
        colourSign,
      );
      return differs ? EXIT.cluster : EXIT.done;
    });
  },
};

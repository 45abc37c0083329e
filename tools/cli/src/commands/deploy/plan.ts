import { Option } from 'commander';
import { errorText } from '#core';
import type { CommandDefinition } from '../../command.ts';
import { conflictRules, type ConflictFlags } from '../../compose/deploy/conflict-rules.ts';
import type { ClusterFlags, SetFlags } from '../../compose/deploy/open-site.ts';
import type { TrustFlags } from '../../compose/registry-place.ts';
import { CLUSTER, CONFLICTS, CONTRACT, SET, TRUST } from '../../options.ts';
import { EXIT, exitCodeOf } from '../../report/exit-codes.ts';
import { errorJson } from '../../report/output.ts';

export interface DeployPlanFlags extends ClusterFlags, SetFlags, TrustFlags, ConflictFlags {
  readonly output?: string;
  readonly contract?: boolean;
}

/**
 * `ccp deploy plan SITE`: shows the changes of an apply, and why it cannot be applied; only reads.
 */
export const plan: CommandDefinition<DeployPlanFlags> = {
  usage: 'plan <site>',
  description: 'show what apply would change, and why; changes nothing',
  options: [
    new Option('-o, --output <file>', 'write a plan file, for `ccp deploy apply SITE FILE`'),
    SET,
    TRUST,
    CONTRACT,
    ...CONFLICTS,
    ...CLUSTER,
  ],
  examples: ['ccp deploy plan example', 'ccp deploy plan example -o plan.json'],
  run: async (context, [name = ''], flags) => {
    const { checkPlan, deployPlanLines, deployPlanText, makePlan } = await import('#rollout');
    const { bind, boundOrThrow, render } = await import('#site');
    const { withBundleSet } = await import('../../compose/deploy/bundle-set.ts');
    const { siteInput, withCluster } = await import('../../compose/deploy/open-site.ts');
    const { colourSign } = await import('../../report/colour.ts');
    const { planSources } = await import('../../compose/deploy/plan-sources.ts');
    const { writeNamed } = await import('../../state/named-file.ts');
    return await withCluster(context, name, flags, async ({ site, cluster }) => {
      const chosen = await withBundleSet(context, () => site, flags, { load: true });
      const input = siteInput(context, () => site, chosen);
      const made = await makePlan(cluster, site, render(boundOrThrow(bind(input))), {
        rules: conflictRules(flags, site),
        contract: flags.contract === true,
      });
      const { output } = context;
      const lines = deployPlanLines(made).join('\n');
      try {
        checkPlan(made);
      } catch (refusal) {
        // One document with `--json`, as from every command.
        output.result(lines, { ...made, ...errorJson(refusal) }, colourSign);
        output.warn(errorText(refusal, output.verbose));
        return exitCodeOf(refusal);
      }
      if (flags.output !== undefined)
        writeNamed(
          flags.output,
          deployPlanText({ ...made, sources: planSources(context.root, input) }),
        );
      output.result(lines, made, colourSign);
      if (flags.output !== undefined) output.info(`plan written to ${flags.output}`);
      return EXIT.done;
    });
  },
};

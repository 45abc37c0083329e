import { CcpError } from '#core';
import { parseDeployPlan, sourceChanges, stalePlan } from '#rollout';
import type { CommandContext } from '../../command.ts';
import { renderedSite, withCluster } from '../../compose/deploy/open-site.ts';
import { currentSources } from '../../compose/deploy/plan-sources.ts';
import { applyChoices, runApply, type ApplyFlags } from '../../compose/deploy/run-apply.ts';
import { readNamed } from '../../state/named-file.ts';

/** `ccp deploy apply SITE [PLAN]`: deploys the site, or exactly the changes in a plan file. */
export async function apply(
  context: CommandContext,
  [name = '', file]: readonly string[],
  flags: ApplyFlags,
): Promise<number> {
  return await withCluster(context, name, flags, async (running) => {
    if (file === undefined)
      return await runApply(
        context,
        running,
        renderedSite(context, running.site, flags),
        applyChoices(flags, running.site),
        flags.checks,
      );
    const approved = parseDeployPlan(
      readNamed(file, `make one with \`ccp deploy plan ${name} -o FILE\``),
      file,
    );
    if (approved.site !== name || approved.namespace !== running.site.namespace) {
      throw new CcpError({
        code: 'usage',
        message: `${file} is a plan for ${approved.site} in ${approved.namespace}, not for ${name} in ${running.site.namespace}`,
      });
    }
    const changes =
      approved.sources === undefined
        ? []
        : sourceChanges(
            approved.sources,
            currentSources(context.root, running.site, approved.sources),
          );
    if (changes.length > 0) throw stalePlan(name, changes);
    const contract =
      flags.contract ?? !approved.steps.some(({ deferred }) => deferred !== undefined);
    return await runApply(
      context,
      running,
      approved.rendered,
      { ...applyChoices(flags, running.site), contract, approved },
      flags.checks,
    );
  });
}

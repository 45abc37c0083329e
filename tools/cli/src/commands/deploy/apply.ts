import { CcpError } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { ApplyFlags } from '../../compose/deploy/run-apply.ts';
import { CHECKS, CLUSTER, CONFLICTS, CONTRACT, JOBS, SET, TRUST } from '../../options.ts';

/** `ccp deploy apply SITE [PLAN]`: deploys the site, or exactly the changes in a plan file. */
export const apply: CommandDefinition<ApplyFlags> = {
  usage: 'apply <site> [plan]',
  description: 'deploy a site, or exactly the changes in a plan file',
  options: [SET, TRUST, CONTRACT, CHECKS, JOBS, ...CONFLICTS, ...CLUSTER],
  examples: [
    'ccp deploy apply example',
    'ccp deploy apply example plan.json',
    'ccp deploy apply example --contract',
  ],
  run: async (context, [name = '', file], flags) => {
    const { parseDeployPlan, sourceChanges, stalePlan } = await import('#rollout');
    const { withBundleSet } = await import('../../compose/deploy/bundle-set.ts');
    const { renderedSite, withCluster } = await import('../../compose/deploy/open-site.ts');
    const { currentSources } = await import('../../compose/deploy/plan-sources.ts');
    const { applyChoices, runApply } = await import('../../compose/deploy/run-apply.ts');
    const { refuseManaged } = await import('../../compose/deploy/refuse-managed.ts');
    const { readNamed } = await import('../../state/named-file.ts');
    return await withCluster(context, name, flags, async (running) => {
      await refuseManaged(running.cluster, running.site);
      const chosen = await withBundleSet(context, () => running.site, flags, { load: true });
      if (file === undefined)
        return await runApply(
          context,
          running,
          renderedSite(context, running.site, chosen),
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
  },
};

import { CcpError } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { ApplyFlags } from '../../compose/deploy/run-apply.ts';
import { CHECKS, CLUSTER, CONFLICTS, JOBS, SET, TRUST } from '../../options.ts';

/**
 * `ccp deploy upgrade SITE --set FILE`: an apply that first checks that the running revision is
 * healthy and its contract jobs are done, since a schema can be expanded for one release only.
 * Continues an interrupted upgrade.
 */
export const upgrade: CommandDefinition<ApplyFlags> = {
  usage: 'upgrade <site>',
  description:
    'deploy another image set, if the running release is healthy and its contract jobs are done',
  options: [SET, TRUST, CHECKS, JOBS, ...CONFLICTS, ...CLUSTER],
  examples: ['ccp deploy upgrade example --set release.json'],
  run: async (context, [name = ''], flags) => {
    const { openStatus, statusLines } = await import('#rollout');
    const { withBundleSet } = await import('../../compose/deploy/bundle-set.ts');
    const { renderedSite, withCluster } = await import('../../compose/deploy/open-site.ts');
    const { applyChoices, runApply } = await import('../../compose/deploy/run-apply.ts');
    const { refuseManaged } = await import('../../compose/deploy/refuse-managed.ts');
    return await withCluster(context, name, flags, async (running) => {
      const { site, cluster, engine } = running;
      await refuseManaged(cluster, site);
      const chosen = await withBundleSet(context, () => site, flags, { load: true });
      const rendered = renderedSite(context, site, chosen);
      const open = await openStatus(cluster, site, engine.clock);
      const now = await open.now();
      await open.close();
      if (open.record.state === 'good') {
        const unfinished = now.steps
          .filter(({ state }) => state === 'deferred')
          .map(({ id }) => id);
        if (!now.well)
          throw new CcpError({
            code: 'deploy-unready',
            message: `the running revision is not healthy:\n${statusLines(now).join('\n')}`,
            hint: `fix it first; see \`ccp deploy status ${name}\``,
          });
        if (unfinished.length > 0)
          throw new CcpError({
            code: 'deploy-unready',
            message: `contract jobs of the previous release are postponed: ${unfinished.join(', ')}`,
            hint: `run them with the previous image set: \`ccp deploy apply ${name} --contract\``,
          });
      }
      return await runApply(
        context,
        running,
        rendered,
        applyChoices(flags, running.site),
        flags.checks,
      );
    });
  },
};

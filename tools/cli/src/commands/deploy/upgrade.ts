import { CcpError } from '#core';
import { openStatus, statusLines } from '#deploy';
import type { CommandContext } from '../../program.ts';
import { applyChoices, runApply, type ApplyFlags } from './apply.ts';
import { renderedSite, withCluster } from './open-site.ts';

/**
 * `ccp deploy upgrade SITE --set FILE`: an apply that first looks whether what runs is well and its contract done, since a schema
 * can be expanded for one release only. An upgrade that was begun is gone on with.
 */
export async function upgrade(context: CommandContext, [name = '']: readonly string[], flags: ApplyFlags): Promise<number> {
  return await withCluster(context, name, flags, async (running) => {
    const { site, cluster, engine } = running;
    const rendered = renderedSite(context, site, flags);
    const open = await openStatus(cluster, site, engine.clock);
    const now = await open.now();
    await open.close();
    if (open.record.state === 'good') {
      const unfinished = now.steps.filter(({ state }) => state === 'deferred').map(({ id }) => id);
      if (!now.well)
        throw new CcpError({
          code: 'deploy-unready',
          message: `what runs is not well:\n${statusLines(now).join('\n')}`,
          hint: `mend it first, see: ccp deploy status ${name}`,
        });
      if (unfinished.length > 0)
        throw new CcpError({
          code: 'deploy-unready',
          message: `the release before was not confirmed: ${unfinished.join(', ')} is put off`,
          hint: `confirm it: ccp deploy apply ${name} --contract, with its image set`,
        });
    }
    return await runApply(context, running, rendered, applyChoices(flags, running.site), flags.checks);
  });
}

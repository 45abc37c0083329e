import { Option } from 'commander';
import type { CommandDefinition } from '../../command.ts';
import { conflictRules } from '../../compose/deploy/conflict-rules.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { CLUSTER } from '../../options.ts';
import { EXIT } from '../../report/exit-codes.ts';

export interface StatusFlags extends ClusterFlags {
  readonly watch?: boolean;
}

/**
 * `ccp deploy status SITE`: the state of every step of the newest revision, and its objects that
 * are missing or differ; exits with 7 if the site is not healthy. With `--watch` it runs until it
 * is interrupted: a terminal shows the current status, other outputs get each status that differs
 * from the one before.
 */
export const status: CommandDefinition<StatusFlags> = {
  usage: 'status <site>',
  description:
    'show the state of every step and object of the newest revision; exits with 7 if it is not healthy',
  options: [new Option('-w, --watch', 'keep running and show every change'), ...CLUSTER],
  examples: ['ccp deploy status example --watch'],
  run: async (context, [name = ''], flags) => {
    const { openStatus, statusLines, statusNow } = await import('#rollout');
    const { colourSign } = await import('../../report/colour.ts');
    const { withCluster } = await import('../../compose/deploy/open-site.ts');
    const { printChanges, watchOnScreen } = await import('../../compose/deploy/watch-status.ts');
    const { output } = context;
    return await withCluster(context, name, flags, async ({ site, cluster, engine }) => {
      const rules = conflictRules({}, site);
      if (flags.watch !== true) {
        const now = await statusNow(cluster, site, { rules });
        output.result(statusLines(now).join('\n'), now, colourSign);
        return now.well ? EXIT.done : EXIT.cluster;
      }
      const open = await openStatus(cluster, site, engine.clock, { rules });
      try {
        if (output.liveResult) await watchOnScreen(open, engine, output);
        else await printChanges(open, engine, output);
        return EXIT.cancelled;
      } finally {
        await open.close();
      }
    });
  },
};

import { Option } from 'commander';
import type { CommandDefinition } from '../../command.ts';
import { conflictRules } from '../../compose/deploy/conflict-rules.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { CHECKS, CLUSTER, parseCount } from '../../options.ts';
import { EXIT } from '../../report/exit-codes.ts';

export interface WaitFlags extends ClusterFlags {
  readonly checks?: boolean;
  readonly timeout?: number;
}

/**
 * `ccp deploy wait SITE`: waits until a running apply has ended, and then until the newest revision
 * is healthy, or reports why it cannot become healthy. `--timeout` limits the first
 * wait. Only its checks write.
 */
export const wait: CommandDefinition<WaitFlags> = {
  usage: 'wait <site>',
  description: 'wait until the newest revision is healthy, or report why it cannot become healthy',
  options: [
    CHECKS,
    new Option(
      '--timeout <minutes>',
      'maximum time to wait for another run to end, such as an apply or a backup (default: no limit)',
    ).argParser(parseCount),
    ...CLUSTER,
  ],
  examples: [
    'ccp deploy wait example',
    'ccp deploy wait example --checks',
    'ccp deploy wait example --timeout 30',
  ],
  run: async (context, [name = ''], { checks = false, timeout, ...flags }) => {
    const {
      checkRequests,
      failureLines,
      openStatus,
      runChecks,
      statusLines,
      stepFailures,
      waitForRun,
      waitSite,
    } = await import('#rollout');
    const { withCluster } = await import('../../compose/deploy/open-site.ts');
    const { colourSign } = await import('../../report/colour.ts');
    return await withCluster(context, name, flags, async ({ site, cluster, engine }) => {
      await waitForRun(cluster, site, {
        ...engine,
        ...(timeout === undefined ? {} : { limitSeconds: timeout * 60 }),
      });
      if (engine.signal.aborted) return EXIT.cancelled;
      const open = await openStatus(cluster, site, engine.clock, {
        rules: conflictRules({}, site),
      });
      try {
        const outcomes = await waitSite(cluster, site, open, engine);
        const failed = stepFailures(outcomes);
        if (checks && failed.length === 0 && !engine.signal.aborted) {
          failed.push(
            ...(
              await runChecks(
                cluster,
                site,
                checkRequests(open.rendered, open.record.revision),
                engine,
              )
            ).flatMap(({ failure }) => failure ?? []),
          );
        }
        const now = await open.now();
        context.output.result(
          [...failed.flatMap((failure) => failureLines(failure, [])), ...statusLines(now)].join(
            '\n',
          ),
          { ...now, failures: failed },
          colourSign,
        );
        if (engine.signal.aborted) return EXIT.cancelled;
        return now.well ? EXIT.done : EXIT.cluster;
      } finally {
        await open.close();
      }
    });
  },
};

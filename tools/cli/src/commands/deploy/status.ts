import { openStatus, statusLines, statusNow, type OpenStatus, type SiteStatus } from '#rollout';
import type { CommandContext } from '../../command.ts';
import { conflictRules } from '../../compose/deploy/conflict-rules.ts';
import {
  withCluster,
  type ClusterFlags,
  type RunningSite,
} from '../../compose/deploy/open-site.ts';
import { EXIT } from '../../report/exit-codes.ts';
import { liveScreen } from '../../report/live-screen.ts';
import type { Output } from '../../report/output.ts';

export interface StatusFlags extends ClusterFlags {
  readonly watch?: boolean;
}

/** Maximum and minimum milliseconds between two updates of `--watch`. */
const LATEST = 5000;
const SOONEST = 500;

/**
 * `ccp deploy status SITE`: the state of every step of the newest revision, and its objects that are
 * missing or differ; exits with 7 if the site is not healthy. With `--watch` it runs until it is
 * interrupted: a terminal shows the current status, other outputs get each status that differs from
 * the one before.
 */
export async function status(
  context: CommandContext,
  [name = '']: readonly string[],
  flags: StatusFlags,
): Promise<number> {
  const { output } = context;
  return await withCluster(context, name, flags, async ({ site, cluster, engine }) => {
    const rules = conflictRules({}, site);
    if (flags.watch !== true) {
      const now = await statusNow(cluster, site, { rules });
      output.result(statusLines(now).join('\n'), now);
      return now.well ? EXIT.done : EXIT.cluster;
    }
    const open = await openStatus(cluster, site, engine.clock, { rules });
    try {
      if (output.liveResult) await watchOnScreen(open, engine, output);
      else
        await follow(
          open,
          engine,
          (now, before) =>
            (before === undefined || lasting(now) !== lasting(before)) &&
            output.result(statusLines(now).join('\n'), now),
        );
      return EXIT.cancelled;
    } finally {
      await open.close();
    }
  });
}

/**
 * Shows the status on the terminal's alternate screen, and prints the last one on the normal
 * screen.
 */
async function watchOnScreen(open: OpenStatus, engine: Engine, output: Output): Promise<void> {
  const screen = liveScreen(process.stdout);
  let last: SiteStatus | undefined;
  try {
    await follow(open, engine, (now) =>
      screen.show(statusLines((last = now)), statusLines(now, { brief: true })),
    );
  } finally {
    screen.close();
    if (last !== undefined) output.result(statusLines(last).join('\n'), last);
  }
}

type Engine = Pick<RunningSite['engine'], 'clock' | 'signal'>;

/**
 * Reports the status now, after every change and at least every `LATEST` milliseconds, until the
 * signal aborts.
 */
async function follow(
  open: OpenStatus,
  { clock, signal }: Engine,
  report: (now: SiteStatus, before: SiteStatus | undefined) => unknown,
): Promise<void> {
  let before: SiteStatus | undefined;
  while (!signal.aborted) {
    const now = await open.now();
    report(now, before);
    before = now;
    await open.watch.change(LATEST, signal);
    await clock.sleep(SOONEST, signal);
  }
}

/** A status without the renewal time of the lock, which always changes. */
function lasting({ holder, ...status }: SiteStatus): string {
  return statusLines(
    holder === undefined ? status : { ...status, holder: { ...holder, renewedAt: '' } },
  ).join('\n');
}

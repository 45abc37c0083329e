import { openStatus, statusLines, statusNow } from '#deploy';
import type { CommandContext } from '../../program.ts';
import { withCluster, type ClusterFlags } from './open-site.ts';

export interface StatusFlags extends ClusterFlags {
  readonly watch?: boolean;
}

/** Milliseconds between two looks under `--watch` where nothing changes, and at least. */
const LATEST = 5000;
const SOONEST = 500;

/** `ccp deploy status SITE`: how each step of the newest revision is; ends with 7 where one is not done. */
export async function status(context: CommandContext, [name = '']: readonly string[], flags: StatusFlags): Promise<number> {
  const { output } = context;
  return await withCluster(context, name, flags, async ({ site, cluster, engine: { clock, signal } }) => {
    if (flags.watch !== true) {
      const now = await statusNow(cluster, site);
      output.result(statusLines(now).join('\n'), now);
      return now.well ? 0 : 7;
    }
    const open = await openStatus(cluster, site, clock);
    try {
      let shown = '';
      for (;;) {
        const now = await open.now();
        const text = statusLines(now).join('\n');
        if (text !== shown) output.result(text, now);
        shown = text;
        if (signal.aborted) return now.well ? 0 : 7;
        await open.watch.change(LATEST);
        await clock.sleep(SOONEST, signal);
      }
    } finally {
      await open.close();
    }
  });
}

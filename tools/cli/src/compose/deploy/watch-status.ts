import { statusLines, type OpenStatus, type SiteStatus } from '#rollout';
import { colourSign } from '../../report/colour.ts';
import { liveScreen } from '../../report/live-screen.ts';
import type { Output } from '../../report/output.ts';
import type { RunningSite } from './open-site.ts';

/** Maximum and minimum milliseconds between two updates of `--watch`. */
const LATEST = 5000;
const SOONEST = 500;

/**
 * Shows the status on the terminal's alternate screen, and prints the last one on the normal
 * screen.
 */
export async function watchOnScreen(
  open: OpenStatus,
  engine: Engine,
  output: Output,
): Promise<void> {
  const screen = liveScreen(process.stdout, output.colourResult ? colourSign : undefined);
  let last: SiteStatus | undefined;
  try {
    await follow(open, engine, (now) =>
      screen.show(statusLines((last = now)), statusLines(now, { brief: true })),
    );
  } finally {
    screen.close();
    if (last !== undefined) output.result(statusLines(last).join('\n'), last, colourSign);
  }
}

/** Prints the status now and each one that differs from the status before. */
export async function printChanges(
  open: OpenStatus,
  engine: Engine,
  output: Output,
): Promise<void> {
  await follow(
    open,
    engine,
    (now, before) =>
      (before === undefined || lasting(now) !== lasting(before)) &&
      output.result(statusLines(now).join('\n'), now, colourSign),
  );
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

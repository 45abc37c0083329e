import type { BuildEvent, EmitBuildEvent } from '#build';
import type { Output } from '../output.ts';
import { plainLines } from './plain.ts';
import { progressBlock, type Progress } from './progress-block.ts';
import { takeBack } from './text.ts';

/** Milliseconds between two drawings, at least and at most. */
const SOONEST_MS = 100;
const LATEST_MS = 1000;
/** Used where the terminal does not say its width. */
const COLUMNS = 80;

/** What the reporter needs of the terminal; tests give their own. */
export interface Screen {
  readonly columns: number;
  readonly now: () => number;
}

/**
 * Tells a build on a terminal: lines that stay (images that ended, retries) scroll by, and below them a block is redrawn with
 * the running steps, how many images are done and how long the rest may take. The block is gone when the run is over.
 */
export function terminalReporter(output: Pick<Output, 'draw' | 'colour' | 'verbose'>, screen: Screen = systemScreen()): EmitBuildEvent {
  let progress: Progress | undefined;
  let drawn: readonly string[] = [];
  let drawnAt = -Infinity;
  let ticker: NodeJS.Timeout | undefined;

  const draw = (staying: readonly string[]): void => {
    const block = progress === undefined ? [] : progressBlock(progress, { ...screen, now: screen.now(), colour: output.colour });
    output.draw(`${takeBack(drawn, screen.columns)}${[...staying, ...block].map((line) => `${line}\n`).join('')}`);
    drawn = block;
    drawnAt = screen.now();
  };

  return (event) => {
    if (event.type === 'run-started' && event.build > 0) {
      ticker = setInterval(() => draw([]), LATEST_MS);
      ticker.unref();
    }
    if (event.type === 'run-finished') {
      clearInterval(ticker);
      progress = undefined;
      return draw([]);
    }
    if (event.type === 'progress') progress = event;
    const staying = isPassing(event, output.verbose) ? [] : plainLines(event, output.verbose);
    if (staying.length > 0 || (event.type === 'progress' && screen.now() - drawnAt >= SOONEST_MS)) draw(staying);
  };
}

/** True for what the block shows anyway. */
function isPassing({ type }: BuildEvent, verbose: boolean): boolean {
  return !verbose && (type === 'step' || type === 'image-started');
}

function systemScreen(): Screen {
  return {
    get columns() {
      return process.stderr.columns ?? COLUMNS;
    },
    now: () => Date.now(),
  };
}

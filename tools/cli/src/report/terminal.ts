import type { BuildEvent, EmitBuildEvent } from '#build';
import { colourMessage } from './colour.ts';
import type { Output } from './output.ts';
import { plainLines } from './plain.ts';
import { progressBlock, type Progress } from './progress-block.ts';
import { systemScreen, type Screen } from './screen.ts';
import { eraseLines } from './text.ts';

/** Minimum and maximum milliseconds between two redraws. */
const SOONEST_MS = 100;
const LATEST_MS = 1000;

/**
 * Reports a build on a terminal: permanent lines (finished images, retries), and below them a
 * redrawn block with the running steps, the number of finished images and the time left. The block
 * is removed at the end.
 */
export function terminalReporter(
  output: Pick<Output, 'draw' | 'colour' | 'verbose'>,
  screen: Screen = systemScreen(),
): EmitBuildEvent {
  let progress: Progress | undefined;
  let drawn: readonly string[] = [];
  let drawnAt = -Infinity;
  let ticker: NodeJS.Timeout | undefined;

  const draw = (staying: readonly string[]): void => {
    const block =
      progress === undefined
        ? []
        : progressBlock(progress, { ...screen, now: screen.now(), colour: output.colour });
    output.draw(
      `${eraseLines(drawn, screen.columns)}${[...staying, ...block].map((line) => `${line}\n`).join('')}`,
    );
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
    const lines = isPassing(event, output.verbose) ? [] : plainLines(event, output.verbose);
    const staying = output.colour ? lines.map(colourMessage) : lines;
    if (staying.length > 0 || (event.type === 'progress' && screen.now() - drawnAt >= SOONEST_MS))
      draw(staying);
  };
}

/** True for events that the block shows. */
function isPassing({ type }: BuildEvent, verbose: boolean): boolean {
  return !verbose && (type === 'step' || type === 'image-started');
}

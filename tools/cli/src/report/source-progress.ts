import type { SourceEvent } from '#fetch';
import type { Output } from './output.ts';
import { redrawnLine } from './redrawn-line.ts';
import { systemScreen, type Screen } from './screen.ts';

/** Minimum milliseconds between two redraws. */
const SOONEST_MS = 100;

/** Redraws the progress of git sources in one line on a terminal. */
export function sourceProgress(
  output: Pick<Output, 'draw'>,
  screen: Screen = systemScreen(),
): (event: SourceEvent) => void {
  const line = redrawnLine(output, screen);
  let [total, done, drawnAt] = [0, 0, 0];
  /** Text of each running fetch, by URL. */
  const running = new Map<string, string>();
  return (event) => {
    if (event.type === 'sources-ended') return line.clear();
    if (event.type === 'sources-started') {
      [total, done] = [event.sources, 0];
      running.clear();
    } else if (event.type === 'source-fetched') {
      done += 1;
      running.delete(event.url);
    } else running.set(event.url, progressText(event));
    if (event.type === 'source-progress' && screen.now() - drawnAt < SOONEST_MS) return;
    drawnAt = screen.now();
    line.draw(`  ${[`${done} of ${total} git sources`, ...running.values()].join(', ')}`);
  };
}

/** `nova receiving 42%`; stages of the server, such as counting, are a preparation. */
function progressText({
  url,
  stage,
  percent,
}: Extract<SourceEvent, { type: 'source-progress' }>): string {
  const name = url
    .replace(/\/+$/, '')
    .replace(/^.*\//, '')
    .replace(/\.git$/, '');
  return `${name} ${stage === 'receiving' || stage === 'resolving' ? stage : 'preparing'} ${percent}%`;
}

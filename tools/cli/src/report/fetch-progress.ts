import { omitUndefined } from '#core';
import type { FetchEvent } from '#fetch';
import { arrivalRate, fetchLine, recentArrivals, type Arrival } from './fetch-line.ts';
import type { Output } from './output.ts';
import { redrawnLine } from './redrawn-line.ts';
import { systemScreen, type Screen } from './screen.ts';

/** Minimum and maximum milliseconds between two redraws. */
const SOONEST_MS = 100;
const LATEST_MS = 1000;

/** A line on a terminal that follows the events of a fetch. */
export interface FetchProgress {
  /** Takes an event; the line is gone after `fetch-ended`. */
  update(event: FetchEvent): void;
  /** Prints permanent text above the line. */
  above(print: () => void): void;
}

/** Redraws the progress of a fetch in one line on a terminal. */
export function fetchProgress(
  output: Pick<Output, 'draw'>,
  screen: Screen = systemScreen(),
): FetchProgress {
  let total: Extract<FetchEvent, { type: 'fetch-started' }> | undefined;
  let [startedAt, drawnAt, done, finished, fresh] = [0, 0, 0, 0, 0];
  let arrivals: readonly Arrival[] = [];
  let ticker: NodeJS.Timeout | undefined;
  /** Bytes of each unfinished file. */
  const open = new Map<string, number>();

  const { draw: drawLine, clear } = redrawnLine(output, screen);
  const draw = (): void => {
    if (total === undefined) return;
    const now = screen.now();
    arrivals = recentArrivals([...arrivals, { at: now, bytes: fresh }], now);
    fresh = 0;
    const rate = arrivalRate(arrivals, startedAt, now);
    const received = [...open.values()].reduce((sum, bytes) => sum + bytes, finished);
    const { files, size } = total;
    const state = { done, files, received, size, ...omitUndefined({ rate }) };
    drawLine(fetchLine(state));
    drawnAt = now;
  };
  const start = (event: Extract<FetchEvent, { type: 'fetch-started' }>): void => {
    if (event.files === 0) return;
    total = event;
    startedAt = screen.now();
    [done, finished, fresh, arrivals] = [0, 0, 0, []];
    open.clear();
    clearInterval(ticker);
    ticker = setInterval(draw, LATEST_MS);
    ticker.unref();
    draw();
  };
  const end = (): void => {
    clearInterval(ticker);
    total = undefined;
    clear();
  };
  return {
    update: (event) => {
      if (event.type === 'fetch-started') start(event);
      if (event.type === 'fetch-ended') end();
      if (event.type === 'fetch-progress') {
        open.set(event.name, event.received);
        fresh += event.bytes;
      }
      if (event.type === 'fetch-file') {
        open.delete(event.name);
        [done, finished] = [done + 1, finished + event.size];
      }
      if (screen.now() - drawnAt >= SOONEST_MS) draw();
    },
    above: (print) => {
      clear();
      print();
      draw();
    },
  };
}

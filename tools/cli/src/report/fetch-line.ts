import { durationText, sizeText } from './text.ts';

/** How far a fetch is. */
export interface FetchState {
  readonly done: number;
  readonly files: number;
  readonly received: number;
  readonly size: number;
  /** Bytes in a second; absent until it is measured. */
  readonly rate?: number;
}

/** The progress of a fetch in one line: bytes, files, rate and time left. */
export function fetchLine({ done, files, received, size, rate }: FetchState): string {
  const left = Math.max(size - received, 0);
  const parts = [
    `${sizeText(received)} of ${sizeText(size)}`,
    `${done} of ${files} files`,
    ...(rate === undefined ? [] : [`${sizeText(rate)}/s`]),
    ...(rate === undefined || rate <= 0 || left === 0
      ? []
      : [`about ${durationText(Math.ceil(left / rate))} left`]),
  ];
  return `  ${parts.join(', ')}`;
}

/** Milliseconds that a rate is measured over. */
const WINDOW_MS = 10_000;
/** Milliseconds before the first rate. */
const SETTLE_MS = 1000;

/** Bytes that arrived at a time, in milliseconds. */
export interface Arrival {
  readonly at: number;
  readonly bytes: number;
}

/** The arrivals that still count for the rate. */
export function recentArrivals(arrivals: readonly Arrival[], now: number): readonly Arrival[] {
  return arrivals.filter(({ at }) => now - at < WINDOW_MS);
}

/** Bytes in a second over the last ten seconds; `undefined` in the first second. */
export function arrivalRate(
  arrivals: readonly Arrival[],
  startedAt: number,
  now: number,
): number | undefined {
  const span = Math.min(now - startedAt, WINDOW_MS);
  if (span < SETTLE_MS) return undefined;
  const bytes = recentArrivals(arrivals, now).reduce((sum, arrival) => sum + arrival.bytes, 0);
  return (bytes * 1000) / span;
}

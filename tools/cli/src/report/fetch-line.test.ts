import { describe, expect, it } from 'vitest';
import { arrivalRate, fetchLine } from './fetch-line.ts';

describe('fetchLine', () => {
  const state = { done: 12, files: 340, received: 120_400_000, size: 673_000_000 };
  it.each([
    ['has no rate at the start', {}, '  120 MB of 673 MB, 12 of 340 files'],
    [
      'has the rate and the time left',
      { rate: 5_000_000 },
      '  120 MB of 673 MB, 12 of 340 files, 5 MB/s, about 1 min 51 s left',
    ],
    [
      'has no time left while nothing arrives',
      { rate: 0 },
      '  120 MB of 673 MB, 12 of 340 files, 0 kB/s',
    ],
    [
      'has no time left at the end',
      { done: 340, received: 673_000_000, rate: 800_000 },
      '  673 MB of 673 MB, 340 of 340 files, 800 kB/s',
    ],
  ])('%s', (_, more, line) => {
    expect(fetchLine({ ...state, ...more })).toBe(line);
  });
});

describe('arrivalRate', () => {
  it.each([
    ['is unknown in the first second', [{ at: 500, bytes: 100 }], 999, undefined],
    ['is the mean since the start', [{ at: 500, bytes: 100 }], 2000, 50],
    [
      'is the mean of the last ten seconds',
      [
        { at: 1000, bytes: 5000 },
        { at: 12_000, bytes: 300 },
      ],
      20_000,
      30,
    ],
  ])('%s', (_, arrivals, now, rate) => {
    expect(arrivalRate(arrivals, 0, now)).toBe(rate);
  });
});

import { expect, it } from 'vitest';
import { imageName } from '#core';
import { durationTable, estimateDurations } from './estimate-durations.ts';

const images = ['base', 'big', 'small', 'other'].map((name) => imageName(name));
const from =
  (values: Readonly<Record<string, number>>) =>
  (name: string): number | undefined =>
    values[name];
const none = from({});
const rows = (known: Parameters<typeof estimateDurations>[1]): readonly unknown[] =>
  [...estimateDurations(images, known)].map(([image, { seconds, from: source }]) => [
    image,
    seconds,
    source,
  ]);

it('takes measured times, then committed ones scaled to this machine', () => {
  const known = {
    measured: from({ base: 20, big: 100 }),
    committed: from({ base: 10, big: 50, small: 4 }),
  };
  expect(rows(known)).toEqual([
    ['base', 20, 'measured'],
    ['big', 100, 'measured'],
    ['small', 8, 'committed'],
    ['other', 20, 'estimated'],
  ]);
  expect(durationTable(images, known)).toEqual({ base: 20, big: 100, small: 8 });
});

it('estimates other images from the size of their locks', () => {
  const lockBytes = from({ base: 5000, big: 95_000, small: 0 });
  expect(rows({ measured: from({ base: 20 }), lockBytes })).toEqual([
    ['base', 20, 'measured'],
    ['big', 200, 'estimated'],
    ['small', 10, 'estimated'],
    ['other', 20, 'estimated'],
  ]);
  expect(rows({ measured: none, lockBytes })).toEqual([
    ['base', 16, 'estimated'],
    ['big', 160, 'estimated'],
    ['small', 8, 'estimated'],
    ['other', 60, 'estimated'],
  ]);
});

it('writes no estimates into the table', () => {
  expect(durationTable(images, { measured: none, lockBytes: () => 1000 })).toEqual({});
});

import { expect, it } from 'vitest';
import { digestOf, imageName, type Fingerprint } from '#core';
import { isEqual, mergeRows, type DigestRow } from './digest-rows.ts';

const [A, B] = [digestOf('a'), digestOf('b')];

function row(image: string, fingerprint: string, first = A, second?: typeof A): DigestRow {
  return { image: imageName(image), fingerprint: fingerprint as Fingerprint, first, second };
}

it('keeps earlier rows of current fingerprints, and digests that a run did not repeat', () => {
  const all = [row('nova', '1'), row('glance', '2'), row('keystone', '3'), row('heat', '4')];
  const earlier = [row('glance', '2', A, A), row('keystone', 'old', A, A), row('nova', '1', A, B)];
  const rows = mergeRows(all, earlier, [row('nova', '1', A, A), row('glance', '2', A)]);
  expect(rows).toEqual([row('glance', '2', A, A), row('nova', '1', A, A)]);
  expect(rows.every(isEqual)).toBe(true);
});

it('counts an image of one engine as not equal', () => {
  expect([row('nova', '1', A), row('nova', '1', A, B)].map(isEqual)).toEqual([false, false]);
});

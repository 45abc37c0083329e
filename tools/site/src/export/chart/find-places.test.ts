import { expect, it } from 'vitest';
import type { KubernetesObject } from '#ports';
import { findPlaces } from './find-places.ts';

const object = (spec: object): ReadonlyMap<string, KubernetesObject> =>
  new Map([['A', { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' }, spec }]]);
const values = { base: 8, other: 31 };

it('finds whole members and parts of texts', () => {
  expect(
    findPlaces(
      object({ n: 8, t: 'a=8 b=88 c=8', same: 8 }),
      object({ n: 31, t: 'a=31 b=88 c=31', same: 8 }),
      values,
    ),
  ).toEqual([
    { object: 'A', path: ['spec', 'n'] },
    { object: 'A', path: ['spec', 't'], span: [2, 3] },
    { object: 'A', path: ['spec', 't'], span: [11, 12] },
  ]);
});

it.each([
  ['computed values', { n: 16 }, { n: 62 }],
  ['longer lists', { list: ['a'] }, { list: ['a', 'b'] }],
  ['other members', { a: 1 }, { b: 1 }],
  ['other texts', { t: 'eight' }, { t: 'thirty-one' }],
])('refuses %s', (_, base, other) => {
  expect(findPlaces(object(base), object(other), values)).toBeUndefined();
});

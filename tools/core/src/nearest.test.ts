import { expect, it } from 'vitest';
import { nearest } from './nearest.ts';

it.each([
  ['packges', ['package', 'packages', 'parents'], 'packages'],
  ['Base', ['builder', 'base'], 'base'],
  ['bsae', ['base'], 'base'],
  ['on', ['no', 'one'], 'no'],
  ['keyston', ['keystone', 'keystine'], 'keystone'],
  ['horizon', ['keystone', 'nova'], undefined],
  ['a', [], undefined],
])('suggests for %j among %j: %j', (word, candidates, expected) => {
  expect(nearest(word, candidates)).toBe(expected);
});

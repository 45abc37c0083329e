import { expect, it } from 'vitest';
import { omitUndefined } from './omit-undefined.ts';

it('leaves out undefined members, and keeps other empty values and the order', () => {
  const record = omitUndefined({ b: 1, a: undefined, n: null, z: 0, s: '' });
  expect(Object.entries(record)).toEqual([
    ['b', 1],
    ['n', null],
    ['z', 0],
    ['s', ''],
  ]);
});

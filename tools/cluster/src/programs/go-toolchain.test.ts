import { expect, it } from 'vitest';
import { isNewEnough } from './go-toolchain.ts';

it.each([
  ['go1.19.8', false],
  ['go1.25.9', false],
  ['go1.26.0', true],
  ['go1.26.8', true],
  ['go1.27rc1', true],
  ['go2.0', true],
  ['devel +abc', false],
])('checks whether %s can build a cluster: %s', (version, expected) => {
  expect(isNewEnough(version)).toBe(expected);
});

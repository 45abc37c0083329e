import { expect, test } from 'vitest';
import { isEnough } from './go-toolchain.ts';

test.each([
  ['go1.19.8', false],
  ['go1.25.9', false],
  ['go1.26.0', true],
  ['go1.26.8', true],
  ['go1.27rc1', true],
  ['go2.0', true],
  ['devel +abc', false],
])('%s is enough to build a cluster: %s', (version, is) => {
  expect(isEnough(version)).toBe(is);
});

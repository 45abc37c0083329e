import { expect, it } from 'vitest';
import { quantity } from './quantity.ts';

it.each([
  ['2', 2],
  ['250m', 0.25],
  ['1.5Gi', 1_610_612_736],
  ['10G', 10_000_000_000],
  ['512Mi', 536_870_912],
  ['3x', NaN],
  ['-1', NaN],
  ['', NaN],
])('converts %s', (text, expected) => {
  expect(quantity(text)).toBe(expected);
});

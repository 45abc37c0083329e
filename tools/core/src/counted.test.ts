import { expect, it } from 'vitest';
import { counted } from './counted.ts';

it.each([
  [0, 'image', '0 images'],
  [1, 'image', '1 image'],
  [2, 'more line', '2 more lines'],
])('writes %i %s as %s', (count, noun, text) => {
  expect(counted(count, noun)).toBe(text);
});

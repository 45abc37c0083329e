import { expect, it } from 'vitest';
import { shortLines, shortList } from './short-list.ts';

it.each([
  [['a'], 'a'],
  [['a', 'b'], 'a, b'],
  [['a', 'b', 'c', 'd'], 'a, b and 2 more'],
])('shortens the list %j to 2 items', (items, text) => {
  expect(shortList(items, 2)).toBe(text);
});

it.each([
  [['a', 'b'], undefined, ['a', 'b']],
  [['a', 'b', 'c', 'd'], undefined, ['a', 'b', 'and 2 more']],
  [['a', 'b', 'c', 'd'], 'line', ['a', 'b', 'and 2 more lines']],
  [['a', 'b', 'c'], 'line', ['a', 'b', 'and 1 more line']],
])('shortens the lines %j of the noun %s to 2', (lines, noun, expected) => {
  expect(shortLines(lines, 2, noun)).toEqual(expected);
});

import { expect, it } from 'vitest';
import { seriesHop, seriesHopText } from './series-hop.ts';

it.each([
  ['2025.2', '2026.1', 'series 2025.2 -> 2026.1'],
  ['2025.1', '2026.1', 'series 2025.1 -> 2026.1, over 2025.2'],
  ['2024.2', '2026.1', 'series 2024.2 -> 2026.1, over 2025.1, 2025.2'],
  ['2026.1', '2025.1', 'series 2026.1 -> 2025.1, over 2025.2'],
  ['2026.1', 'master', 'series 2026.1 -> master'],
])('names the series between %s and %s', (from, to, text) => {
  expect(seriesHopText(seriesHop(from, to)!)).toBe(text);
});

it.each([
  ['2026.1', '2026.1'],
  [undefined, '2026.1'],
  ['2025.2', undefined],
])('finds no hop from %s to %s', (from, to) => {
  expect(seriesHop(from, to)).toBeUndefined();
});

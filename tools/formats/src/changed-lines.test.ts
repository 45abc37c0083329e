import { expect, it } from 'vitest';
import { changedLines } from './changed-lines.ts';

/** Changed lines as text; lines are separated by `|`. */
const runs = (before: string, now: string): string[] =>
  changedLines(before.replaceAll('|', '\n'), now.replaceAll('|', '\n')).map(
    ({ line, from, to }) => `${line}: ${from.join('|')} -> ${to.join('|')}`,
  );

it.each<[string, string, string, readonly string[]]>([
  ['nothing', 'a|b', 'a|b', []],
  ['two edits far apart', 'a|b|c|d|e|f', 'a|first|b|c|d|last|f', ['2:  -> first', '6: e -> last']],
  ['removed lines', 'a|b|c|d|e', 'b|c|e', ['1: a -> ', '3: d -> ']],
  ['a moved line', 'a|b|c|d', 'b|c|d|a', ['1: a -> ', '4:  -> a']],
  ['lines equal to other lines', 'x|y|x', 'x|x|y|x|x', ['2:  -> x', '5:  -> x']],
  ['all lines', 'a|b', 'c', ['1: a|b -> c']],
])('finds %s', (_, before, now, expected) => expect(runs(before, now)).toEqual(expected));

it('compares long texts line by line', () => {
  const many = Array.from({ length: 3000 }, (_, line) => `${line}`).join('|');
  expect(runs(`a|${many}|a`, `b|${many}|b`)).toEqual(['1: a -> b', '3002: a -> b']);
});

it('returns one change if too many lines differ', () => {
  const lines = (word: string): string =>
    Array.from({ length: 50_000 }, (_, line) => `${word} ${line}`).join('\n');
  const [before, now] = [`same\n${lines('old')}`, `same\n${lines('new')}`];
  expect(changedLines(before, now)).toEqual([
    { line: 1, from: before.split('\n'), to: now.split('\n') },
  ]);
});

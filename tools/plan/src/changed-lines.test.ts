import { expect, it } from 'vitest';
import { changedLines } from './changed-lines.ts';

/** Runs as text; `|` stands between lines. */
const runs = (before: string, now: string): string[] =>
  changedLines(before.replaceAll('|', '\n'), now.replaceAll('|', '\n')).map(({ line, from, to }) => `${line}: ${from.join('|')} -> ${to.join('|')}`);

it.each<[string, string, string, readonly string[]]>([
  ['nothing', 'a|b', 'a|b', []],
  ['two edits far apart', 'a|b|c|d|e|f', 'a|first|b|c|d|last|f', ['2:  -> first', '6: e -> last']],
  ['lines that went', 'a|b|c|d|e', 'b|c|e', ['1: a -> ', '3: d -> ']],
  ['a line that moved', 'a|b|c|d', 'b|c|d|a', ['1: a -> ', '4:  -> a']],
  ['lines that are equal to others', 'x|y|x', 'x|x|y|x|x', ['2:  -> x', '4:  -> x']],
  ['all', 'a|b', 'c', ['1: a|b -> c']],
])('%s', (_, before, now, expected) => expect(runs(before, now)).toEqual(expected));

it('takes what lies between as one where texts are too long to compare line by line', () => {
  const many = Array.from({ length: 3000 }, (_, line) => `${line}`).join('\n');
  expect(changedLines(`a\n${many}\na`, `b\n${many}\nb`)).toMatchObject([{ line: 1 }]);
});

import type { ChangedLines } from './types.ts';

/** What stands between the lines that two texts begin with and those that they end with; undefined where they are equal. */
export function changedLines(before: string, now: string): ChangedLines | undefined {
  const [from, to] = [before.split('\n'), now.split('\n')];
  const shorter = Math.min(from.length, to.length);
  let head = 0;
  while (head < shorter && from[head] === to[head]) head += 1;
  if (head === from.length && head === to.length) return undefined;
  let tail = 0;
  while (tail < shorter - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  return { line: head + 1, from: from.slice(head, from.length - tail), to: to.slice(head, to.length - tail) };
}

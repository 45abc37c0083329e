import type { ChangedLines } from './types.ts';

/** Cells of the table of common lines, at most; beyond, all between the first and the last difference counts as changed. */
const MOST_CELLS = 4_000_000;

/** The fewest lines that must go and come to make `now` of `before`, in runs, in order; empty where the texts are equal. */
export function changedLines(before: string, now: string): readonly ChangedLines[] {
  const [from, to] = [before.split('\n'), now.split('\n')];
  const shorter = Math.min(from.length, to.length);
  let head = 0;
  while (head < shorter && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  const [gone, come] = [from.slice(head, from.length - tail), to.slice(head, to.length - tail)];
  return runsBetween(gone, come).map((run) => ({ ...run, line: run.line + head }));
}

function runsBetween(from: readonly string[], to: readonly string[]): readonly ChangedLines[] {
  if (from.length === 0 && to.length === 0) return [];
  if (from.length * to.length > MOST_CELLS) return [{ line: 1, from, to }];
  const width = to.length + 1;
  const common = commonLengths(from, to);
  const runs: { line: number; from: string[]; to: string[] }[] = [];
  let open: (typeof runs)[number] | undefined;
  const run = (line: number): (typeof runs)[number] => {
    if (open === undefined) runs.push((open = { line, from: [], to: [] }));
    return open;
  };
  for (let i = 0, j = 0; i < from.length || j < to.length;) {
    if (i < from.length && j < to.length && from[i] === to[j]) {
      open = undefined;
      i += 1;
      j += 1;
    } else if (j === to.length || (i < from.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) run(j + 1).from.push(from[i++]!);
    else run(j + 1).to.push(to[j++]!);
  }
  return runs;
}

/** At `i * (to.length + 1) + j`: how many lines the longest common subsequence of the lines from `i` and from `j` on has. */
function commonLengths(from: readonly string[], to: readonly string[]): Uint32Array {
  const width = to.length + 1;
  const lengths = new Uint32Array((from.length + 1) * width);
  for (let i = from.length - 1; i >= 0; i -= 1) {
    for (let j = to.length - 1; j >= 0; j -= 1) {
      const at = i * width + j;
      lengths[at] = from[i] === to[j] ? lengths[at + width + 1]! + 1 : Math.max(lengths[at + width]!, lengths[at + 1]!);
    }
  }
  return lengths;
}

import { createRequire } from 'node:module';

/** Adjacent lines `from` that were replaced by `to`; empty if lines were only added or removed. */
export interface ChangedLines {
  /**
   * Line number (from 1) in the newer text: of the first line in `to`, else of the following line.
   */
  readonly line: number;
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** Maximum number of removed and added lines. Texts that differ in more are one change. */
const MAX_EDITS = 1000;

const load = createRequire(import.meta.url);

/**
 * The smallest set of removed and added lines that turns `before` into `now`, grouped into runs of
 * adjacent lines, in order; empty if the texts are equal.
 */
export function changedLines(before: string, now: string): readonly ChangedLines[] {
  if (before === now) return [];
  // Loaded on first use: most plans compare no texts.
  const { diffArrays } = load('diff/lib/diff/array.js') as typeof import('diff/lib/diff/array.js');
  const [from, to] = [before.split('\n'), now.split('\n')];
  const changes = diffArrays(from, to, { maxEditLength: MAX_EDITS });
  if (changes === undefined) return [{ line: 1, from, to }];
  const runs: { line: number; from: string[]; to: string[] }[] = [];
  let open: (typeof runs)[number] | undefined;
  let line = 1;
  for (const { value, added, removed } of changes) {
    if (added || removed) {
      if (open === undefined) runs.push((open = { line, from: [], to: [] }));
      (added ? open.to : open.from).push(...value);
    } else open = undefined;
    if (!removed) line += value.length;
  }
  return runs;
}

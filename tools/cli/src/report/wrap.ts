import { fittingStart, textWidth } from './width.ts';

export interface WrapOptions {
  readonly columns: number;
  /** Blanks before all rows but the first; at most half of the columns. */
  readonly indent: number;
  /** Leaves words longer than a row whole, so that they can be copied. */
  readonly wholeWords?: boolean;
}

/** Wraps a line without control characters at blanks to rows of at most `columns`. */
export function wrapLine(
  line: string,
  { columns, indent, wholeWords = false }: WrapOptions,
): readonly string[] {
  const blanks = Math.min(indent, Math.floor(columns / 2));
  const rows: string[] = [];
  let rest = line;
  while (textWidth(rest) > columns) {
    const end = endOfRow(rest, columns, wholeWords);
    const next = `${' '.repeat(blanks)}${rest.slice(end).trimStart()}`;
    // Not even one character fits, or the rest is one word.
    if (next === rest || next.trim() === '') break;
    rows.push(rest.slice(0, end).trimEnd());
    rest = next;
  }
  return [...rows, rest];
}

/** The position after the last word that fits; within a word if it is too long. */
function endOfRow(line: string, columns: number, wholeWords: boolean): number {
  const leading = line.length - line.trimStart().length;
  const fitting = fittingStart(line, columns).length;
  const blank = line.lastIndexOf(' ', fitting);
  if (blank > leading) return blank;
  if (!wholeWords) return fitting;
  const following = line.indexOf(' ', Math.max(leading, fitting));
  return following < 0 ? line.length : following;
}

/** Wraps each line of a message or table at blanks; words stay whole. */
export function wrapText(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) =>
      wrapLine(line, { columns, indent: indentOf(line, columns), wholeWords: true }),
    )
    .join('\n');
}

/** Blanks of a continued row of a message, relative to its first row. */
const HANGING = 2;

/**
 * Blanks of continued rows: to the last column of a table in the left half of the terminal, else
 * deeper than the first row.
 */
function indentOf(line: string, columns: number): number {
  const starts = [...line.matchAll(/\S {2,}(?=\S)/g)]
    .map(({ 0: gap, index }) => textWidth(line.slice(0, index + gap.length)))
    .filter((start) => start <= columns / 2);
  return starts.at(-1) ?? line.length - line.trimStart().length + HANGING;
}

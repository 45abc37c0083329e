/** A line with content. */
export interface PlainLine {
  /** Number of spaces before the content. */
  readonly column: number;
  /** Offset of the content in the file. */
  readonly offset: number;
  readonly text: string;
}

/**
 * Characters that need the full parser: control characters, tabs and everything that is not ASCII.
 */
const OTHER = /[^\n -~]/;
const SPACE = 0x20;

/**
 * The lines of a text without comments and blank lines; undefined if it has other characters,
 * document markers, directives, or spaces at the end of a line.
 */
export function plainLines(text: string): readonly PlainLine[] | undefined {
  if (OTHER.test(text)) return undefined;
  const lines: PlainLine[] = [];
  for (let start = 0; start < text.length;) {
    let end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    let offset = start;
    while (offset < end && text.charCodeAt(offset) === SPACE) offset += 1;
    if (offset < end) {
      if (text.charCodeAt(end - 1) === SPACE) return undefined;
      const content = text.slice(offset, end);
      if (offset === start && /^(?:---|\.\.\.|%)/.test(content)) return undefined;
      if (!content.startsWith('#')) lines.push({ column: offset - start, offset, text: content });
    } else if (offset > start) return undefined;
    start = end + 1;
  }
  return lines;
}

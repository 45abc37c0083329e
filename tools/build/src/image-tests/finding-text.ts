/** Paths named in one finding. */
const NAMED = 5;
/** Lines of output shown in one finding, and the characters of each. */
const PRINTED = 6;
const LINE_LENGTH = 200;

/** `a, b and 3 more`: the first few of a list, in order. */
export function someOf(items: readonly string[]): string {
  const more = items.length - NAMED;
  return more > 0 ? `${items.slice(0, NAMED).join(', ')} and ${more} more` : items.join(', ');
}

/** `it last printed "…"`; where there is more than a line, the last few on lines of their own: the last is often not the cause. */
export function lastPrinted(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-PRINTED);
  const cut = (line: string): string => (line.length > LINE_LENGTH ? `${line.slice(0, LINE_LENGTH)}…` : line);
  if (lines.length > 1) return `it last printed:\n${lines.map((line) => `    ${cut(line)}`).join('\n')}`;
  return `it last printed ${lines[0] === undefined ? 'nothing' : JSON.stringify(cut(lines[0]))}`;
}

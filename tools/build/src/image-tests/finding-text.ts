/** Paths named in one finding. */
const NAMED = 5;

/** `a, b and 3 more`: the first few of a list, in order. */
export function someOf(items: readonly string[]): string {
  const more = items.length - NAMED;
  return more > 0 ? `${items.slice(0, NAMED).join(', ')} and ${more} more` : items.join(', ');
}

/** The last line that says something, quoted, at most 200 characters. */
export function lastLine(output: string): string {
  const line = output.trimEnd().split('\n').at(-1)!.trim();
  return line === '' ? 'nothing' : JSON.stringify(line.length > 200 ? `${line.slice(0, 200)}…` : line);
}

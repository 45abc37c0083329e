import { counted } from './counted.ts';

/** The first items of a list and the number of the others: `a, b and 3 more`. */
export function shortList(items: readonly string[], limit: number): string {
  const others = items.length - limit;
  const shown = items.slice(0, limit).join(', ');
  return others > 0 ? `${shown} and ${others} more` : shown;
}

/**
 * The first lines, followed by the number of other lines: `and 3 more`, or `and 3 more objects` for
 * the noun `object`.
 */
export function shortLines(lines: readonly string[], limit: number, noun?: string): string[] {
  const others = lines.length - limit;
  const rest = noun === undefined ? `${others} more` : counted(others, `more ${noun}`);
  return others > 0 ? [...lines.slice(0, limit), `and ${rest}`] : [...lines];
}

/** Maximum length of a line in a message. */
const SHOWN = 120;
/** Characters shown before the first difference of long lines. */
const BEFORE = 40;
const CUT = '…';

/** Two different lines as `"from" -> "to"`; of long lines the part around the first difference. */
export function quotedChange(from: string, to: string): string {
  const [old, fresh] = from.trim() === to.trim() ? [from, to] : [from.trim(), to.trim()];
  const shorter = Math.min(old.length, fresh.length);
  let same = 0;
  while (same < shorter && old[same] === fresh[same]) same += 1;
  const start = Math.max(old.length, fresh.length) <= SHOWN || same <= BEFORE ? 0 : same - BEFORE;
  return `${quoted(old, start)} -> ${quoted(fresh, start)}`;
}

/** A line in quotation marks, shortened if it is long. */
export function quotedLine(text: string): string {
  return quoted(text.trim(), 0);
}

function quoted(text: string, start: number): string {
  const end = start + SHOWN;
  return `"${start > 0 ? CUT : ''}${text.slice(start, end)}${text.length > end ? CUT : ''}"`;
}

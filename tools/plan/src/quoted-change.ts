/** Characters of a line that a message shows. */
const SHOWN = 120;
/** Characters before the first difference, where what goes before is too long to be shown. */
const BEFORE = 40;
const CUT = '…';

/** Two lines that differ, as `"from" -> "to"`; of long ones the part around their first difference. */
export function quotedChange(from: string, to: string): string {
  const [old, fresh] = from.trim() === to.trim() ? [from, to] : [from.trim(), to.trim()];
  const shorter = Math.min(old.length, fresh.length);
  let same = 0;
  while (same < shorter && old[same] === fresh[same]) same += 1;
  const start = Math.max(old.length, fresh.length) <= SHOWN || same <= BEFORE ? 0 : same - BEFORE;
  return `${quoted(old, start)} -> ${quoted(fresh, start)}`;
}

/** A line in quotation marks; the start of a long one. */
export function quotedLine(text: string): string {
  return quoted(text.trim(), 0);
}

function quoted(text: string, start: number): string {
  const end = start + SHOWN;
  return `"${start > 0 ? CUT : ''}${text.slice(start, end)}${text.length > end ? CUT : ''}"`;
}

/** Maximum lines shown of one output, marks included. */
const MOST = 12;
/** Of these, the lines always shown from the end, and the earlier lines chosen by content. */
const LAST = 5;
const PICKED = 4;

/**
 * Time, level, process and module that loggers print before a message; the level alone is not a
 * cause.
 */
const PREFIX =
  /^(?:[\d:.,+TZ/-]+\s+|\[(?:[a-z]+|[A-Z][a-z]+|[A-Z]+)\]\s*|(?:ERROR|CRITICAL|FATAL|WARNING|WARN|INFO|NOTE|NOTICE|DEBUG|TRACE)\b:?\s+|<[\d.]+>\s*|\[-\]\s+)+/;
/** Words of a reason, and words that only report a failure. */
const REASON =
  /\b(?:required?|requires|must|refused|denied|forbidden|not (?:a valid|valid|enabled|allowed|permitted|supported|found|exist)|no such|no space|unknown|unsupported|incompatible|invalid|missing|mismatch|expected|acceptable|should be|already in use|out of memory|too (?:old|new|many|large|long))\b/i;
const FAULT =
  /\b(?:error|fatal|panic|exception|cannot|can't|could not|couldn't|unable|failed|failure|aborted|abort)\b|Error:/i;
/** Lines of a stack. */
const FRAME =
  /^\s+at\s|\bFile ".*", line \d+|\bline,? ?\d+[\])}, ]*$|\{file,|^goroutine \d+|^\s+\/\S+:\d+/;

/**
 * The lines of an output that explain its end: the last lines, before them the newest lines with a
 * reason, and the first error; in order, with a mark where lines are left out. Short output is
 * returned unchanged, without empty messages.
 */
export function relevantLines(output: readonly string[]): string[] {
  const lines = output.filter((line) => line.replace(PREFIX, '').trim() !== '');
  if (lines.length <= MOST) return lines;
  const shown = new Set(lines.keys().drop(lines.length - LAST));
  const seen = new Set<string>();
  const told = lines
    .slice(0, -LAST)
    .map((line, index) => ({ index, message: line.replace(PREFIX, '') }))
    .map(({ index, message }) => ({ index, message, weight: weightOf(message) }))
    .filter(({ weight }) => weight > 0);
  const [first] = told;
  const newest = told
    .toReversed()
    .sort((a, b) => b.weight - a.weight)
    .filter(({ message }) => seen.size !== seen.add(message.replaceAll(/\d+/g, '')).size);
  const picked = [
    ...newest.slice(0, PICKED / 2),
    ...(first === undefined ? [] : [first]),
    ...newest.slice(PICKED / 2, PICKED),
  ];
  const fits = (index: number): boolean => marked(lines, new Set(shown).add(index)).length <= MOST;
  for (const { index } of picked) if (fits(index)) shown.add(index);
  for (let index = lines.length - 1; index >= 0 && fits(index); index--) shown.add(index);
  return marked(lines, shown);
}

function weightOf(message: string): 0 | 1 | 2 {
  if (FRAME.test(message)) return 0;
  return REASON.test(message) ? 2 : FAULT.test(message) ? 1 : 0;
}

function marked(lines: readonly string[], shown: ReadonlySet<number>): string[] {
  const order = [...shown].sort((a, b) => a - b);
  return order.flatMap((index, at) => {
    const left = index - (order[at - 1] ?? -1) - 1;
    return [
      ...(left === 0 ? [] : left === 1 ? [lines[index - 1]!] : [`... ${left} more`]),
      lines[index]!,
    ];
  });
}

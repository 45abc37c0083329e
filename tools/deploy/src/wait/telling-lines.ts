/** Lines that are shown of one output, marks included. */
const MOST = 12;
/** Of them, those from the end that are shown in any case, and those before that are picked for what they say. */
const LAST = 5;
const PICKED = 4;

/** Time, level, process and module that loggers put before a message: their level alone is no cause. */
const PREFIX =
  /^(?:[\d:.,+TZ/-]+\s+|\[(?:[a-z]+|[A-Z][a-z]+|[A-Z]+)\]\s*|(?:ERROR|CRITICAL|FATAL|WARNING|WARN|INFO|NOTE|NOTICE|DEBUG|TRACE)\b:?\s+|<[\d.]+>\s*|\[-\]\s+)+/;
/** Words that name a reason, and words that only say that something went wrong. */
const REASON =
  /\b(?:required?|requires|must|refused|denied|forbidden|not (?:a valid|valid|enabled|allowed|permitted|supported|found|exist)|no such|no space|unknown|unsupported|incompatible|invalid|missing|mismatch|expected|acceptable|should be|already in use|out of memory|too (?:old|new|many|large|long))\b/i;
const FAULT = /\b(?:error|fatal|panic|exception|cannot|can't|could not|couldn't|unable|failed|failure|aborted|abort)\b|Error:/i;
/** Lines of a stack. */
const FRAME = /^\s+at\s|\bFile ".*", line \d+|\bline,? ?\d+[\])}, ]*$|\{file,|^goroutine \d+|^\s+\/\S+:\d+/;

/**
 * Those lines of an output that tell why it ended: the last ones, and before them the newest that name a reason, the first
 * error too; in their order, with a mark where lines are left out. Short output stays as it is,
 * but for lines that say nothing.
 */
export function tellingLines(output: readonly string[]): string[] {
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
  const picked = [...newest.slice(0, PICKED / 2), ...(first === undefined ? [] : [first]), ...newest.slice(PICKED / 2, PICKED)];
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
    return [...(left === 0 ? [] : left === 1 ? [lines[index - 1]!] : [`... ${left} more`]), lines[index]!];
  });
}

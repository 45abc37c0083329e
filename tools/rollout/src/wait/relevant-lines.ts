/** Maximum lines shown of one output, marks included. */
const MOST = 12;
/** The weight of lines of a calm level. */
const CALM_WEIGHT = 1;
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
  /\b(?:required?|requires|must|refused|denied|forbidden|not (?:a valid|valid|enabled|allowed|permitted|supported|found|exist|understood)|no (?:such|space|section|option)|unknown|unrecogni[sz]ed|unsupported|unexpected|incompatible|invalid|illegal|malformed|undefined|duplicate|syntax|missing|mismatch|expected|acceptable|should be|out of range|already in use|out of memory|too (?:old|new|many|large|long))\b/i;
const FAULT =
  /\b(?:error|fatal|panic|exception|cannot|can't|could not|couldn't|unable|failed|failure|aborted|abort)\b|Error:/i;
/** An exception with its message, as Python, Java and others print it after a stack. */
const EXCEPTION =
  /^(?:[\w.]+ (?:\[[^\]]*\] )?)?(?:[\w$]+\.)*\w*(?:Error|Exception|Exit|Invalid|NotFound|NoMatches|Refused): \S/;
/** A level that does not end a program, and the number of words in which it is looked for. */
const CALM =
  /^(?:(?:INFO|DEBUG|TRACE|NOTICE):?|\[(?:info|INFO|debug|DEBUG|trace|notice|note|Note)\]|(?:info|debug|notice):)$/;
const LEVEL_WORDS = 6;
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
  const weighed = lines
    .slice(0, -LAST)
    .map((line, index) => {
      const message = line.replace(PREFIX, '');
      return { index, message, weight: weightOf(line, message) };
    })
    .filter(({ weight }) => weight > 0);
  const first = weighed.find(({ weight }) => weight > CALM_WEIGHT) ?? weighed[0];
  const newest = weighed
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

/** The newest line that names the error best; the last line if none does. */
export function causeLine(lines: readonly string[]): string | undefined {
  const weights = lines.map((line) => weightOf(line, line.replace(PREFIX, '')));
  const most = Math.max(0, ...weights);
  return most <= CALM_WEIGHT ? lines.at(-1) : lines[weights.lastIndexOf(most)];
}

/** How likely a line names the error: 4 for an exception, 0 for a line that cannot. */
function weightOf(line: string, message: string): number {
  if (FRAME.test(message)) return 0;
  const weight = EXCEPTION.test(message)
    ? 4
    : REASON.test(message)
      ? 3
      : FAULT.test(message)
        ? 2
        : 0;
  const isCalm = line.split(/\s+/, LEVEL_WORDS).some((word) => CALM.test(word));
  return weight > 0 && isCalm ? CALM_WEIGHT : weight;
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

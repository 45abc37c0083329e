/** A hunk of a unified diff. */
export interface Hunk {
  /** Path of the file without its first folder (`a/`, `b/`). */
  readonly file: string;
  /** Number within the file from 1, as patch(1) counts. */
  readonly number: number;
  /** Line number of the hunk in the diff. */
  readonly line: number;
  /** The header and the following lines. */
  readonly lines: readonly string[];
}

const HEADER = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
/** Lines of git for a change without hunks that patch(1) applies. */
const WITHOUT_HUNKS = /^(?:rename from|new mode|deleted file mode|new file mode) /m;

/**
 * The hunks of a unified diff, and the first fault for which patch(1) would refuse it, as a clause
 * about the diff. The npm library `diff` gives no line numbers of hunks, which messages need.
 */
export function readDiff(text: string): {
  readonly hunks: readonly Hunk[];
  readonly flaw?: string;
} {
  const lines = text.replace(/\n$/, '').split(/\r?\n/);
  const hunks: Hunk[] = [];
  let file: string | undefined;
  let number = 0;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;
    if (line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ') === true) {
      const [old, fresh] = [pathOf(line), pathOf(lines[at + 1]!)];
      file = fresh === '/dev/null' ? old : fresh;
      number = 0;
      if (file.startsWith('/') || file.split('/').includes('..'))
        return { hunks, flaw: `changes ${file}, outside of the source (line ${at + 1})` };
      at++;
      continue;
    }
    const header = HEADER.exec(line);
    if (header === null) {
      if (line.startsWith('@@'))
        return { hunks, flaw: `has a hunk without line numbers (line ${at + 1})` };
      continue;
    }
    if (file === undefined)
      return { hunks, flaw: `has a hunk without a file name (line ${at + 1})` };
    const end = endOfHunk(lines, at + 1, Number(header[1] ?? 1), Number(header[2] ?? 1));
    if (end === undefined)
      return { hunks, flaw: `has a hunk whose lines do not match its header (line ${at + 1})` };
    hunks.push({
      file: withoutFirst(file),
      number: ++number,
      line: at + 1,
      lines: lines.slice(at, end),
    });
    at = end - 1;
  }
  if (hunks.length > 0 || WITHOUT_HUNKS.test(text)) return { hunks };
  return {
    hunks,
    flaw: /^GIT binary patch/m.test(text)
      ? 'is binary, which patch(1) does not support'
      : 'has no hunk, so it changes nothing',
  };
}

/**
 * Index after a hunk with this many lines of the old and the new file; undefined if its lines do
 * not match.
 */
function endOfHunk(
  lines: readonly string[],
  start: number,
  old: number,
  fresh: number,
): number | undefined {
  let at = start;
  for (; old > 0 || fresh > 0; at++) {
    const sign = lines[at]?.[0] ?? (at < lines.length ? ' ' : undefined);
    if (sign === '\\') continue;
    if (sign === undefined || !' +-'.includes(sign)) return undefined;
    if (sign !== '+') old--;
    if (sign !== '-') fresh--;
    if (old < 0 || fresh < 0) return undefined;
  }
  return lines[at]?.startsWith('\\') === true ? at + 1 : at;
}

function pathOf(header: string): string {
  return header.slice(4).split('\t')[0]!.trim();
}

function withoutFirst(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}

/** One change of a file in a unified diff. */
export interface Hunk {
  /** Path below the tree that the diff is of, its first folder (`a/`, `b/`) left out. */
  readonly file: string;
  /** Its number within the file, from 1, as patch(1) counts. */
  readonly number: number;
  /** The line of the diff that it starts on. */
  readonly line: number;
  /** The header and what follows. */
  readonly lines: readonly string[];
}

const HEADER = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
/** What git says of a change without hunks that patch(1) carries out. */
const WITHOUT_HUNKS = /^(?:rename from|new mode|deleted file mode|new file mode) /m;

/** The hunks of a unified diff, and what of it no patch(1) would take, as a clause about the diff. */
export function readDiff(text: string): { readonly hunks: readonly Hunk[]; readonly flaw?: string } {
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
      if (file.startsWith('/') || file.split('/').includes('..')) return { hunks, flaw: `changes ${file}, outside of the source (line ${at + 1})` };
      at++;
      continue;
    }
    const header = HEADER.exec(line);
    if (header === null) {
      if (line.startsWith('@@')) return { hunks, flaw: `has a hunk without the numbers of its lines (line ${at + 1})` };
      continue;
    }
    if (file === undefined) return { hunks, flaw: `has a hunk that names no file (line ${at + 1})` };
    const end = endOfHunk(lines, at + 1, Number(header[1] ?? 1), Number(header[2] ?? 1));
    if (end === undefined) return { hunks, flaw: `has a hunk with other lines than its header says (line ${at + 1})` };
    hunks.push({ file: withoutFirst(file), number: ++number, line: at + 1, lines: lines.slice(at, end) });
    at = end - 1;
  }
  if (hunks.length > 0 || WITHOUT_HUNKS.test(text)) return { hunks };
  return { hunks, flaw: /^GIT binary patch/m.test(text) ? 'is binary, which patch(1) does not know' : 'has no hunk: it changes nothing' };
}

/** The index after a hunk of so many lines of the old and the new file; undefined where it has others. */
function endOfHunk(lines: readonly string[], start: number, old: number, fresh: number): number | undefined {
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

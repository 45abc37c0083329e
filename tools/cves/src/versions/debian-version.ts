/** Order of a character: `~`, the end of a part, letters, other characters. */
function order(char: string | undefined): number {
  if (char === undefined || (char >= '0' && char <= '9')) return 0;
  if (char === '~') return -1;
  return /[A-Za-z]/.test(char) ? char.charCodeAt(0) : char.charCodeAt(0) + 256;
}

const isDigit = (char: string | undefined): boolean =>
  char !== undefined && char >= '0' && char <= '9';

/** Compares two parts without an epoch or a revision, as deb-version(7) describes. */
function compareParts(a: string, b: string): number {
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    while ((i < a.length && !isDigit(a[i])) || (j < b.length && !isDigit(b[j]))) {
      const difference = order(a[i]) - order(b[j]);
      if (difference !== 0) return difference;
      i += 1;
      j += 1;
    }
    const [left, right] = [digitsAt(a, i), digitsAt(b, j)];
    i += left.length;
    j += right.length;
    const [p, q] = [left, right].map((digits) => digits.replace(/^0+/, '')) as [string, string];
    if (p.length !== q.length) return p.length - q.length;
    if (p !== q) return p < q ? -1 : 1;
  }
  return 0;
}

function digitsAt(text: string, start: number): string {
  let end = start;
  while (isDigit(text[end])) end += 1;
  return text.slice(start, end);
}

function split(version: string): readonly [epoch: string, upstream: string, revision: string] {
  const colon = version.indexOf(':');
  const rest = version.slice(colon + 1);
  const dash = rest.lastIndexOf('-');
  return [
    colon < 0 ? '0' : version.slice(0, colon),
    dash < 0 ? rest : rest.slice(0, dash),
    dash < 0 ? '' : rest.slice(dash + 1),
  ];
}

/** Compares two Debian versions like `dpkg --compare-versions`; negative if `a` is older. */
export function compareDebian(a: string, b: string): number {
  const [left, right] = [split(a), split(b)];
  for (const part of [0, 1, 2] as const) {
    const difference = compareParts(left[part], right[part]);
    if (difference !== 0) return difference;
  }
  return 0;
}

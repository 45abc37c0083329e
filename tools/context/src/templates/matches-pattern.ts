/** A part of a pattern: any characters, or a test of one character. */
type Part = 'any' | ((character: string) => boolean);

/**
 * Whether a path matches a pattern of BuildKit's COPY (Go's `filepath.Match`): `*`, `?` and
 * `[^a-z]` match no slash. Takes time in proportion to the product of both lengths.
 */
export function matchesPattern(path: string, pattern: string): boolean {
  const names = path.split('/');
  const patterns = pattern.split('/');
  return (
    names.length === patterns.length &&
    names.every((name, index) => matchesName(name, partsOf(patterns[index]!)))
  );
}

/** After a mismatch only the last `*` can match more, so earlier ones are never tried again. */
function matchesName(name: string, parts: readonly Part[] | undefined): boolean {
  if (parts === undefined) return false;
  let [at, part] = [0, 0];
  let star: { readonly part: number; at: number } | undefined;
  while (at < name.length) {
    const test = parts[part];
    if (test === 'any') {
      star = { part, at };
      part += 1;
    } else if (test?.(name[at]!) === true) {
      at += 1;
      part += 1;
    } else if (star !== undefined) {
      star.at += 1;
      at = star.at;
      part = star.part + 1;
    } else {
      return false;
    }
  }
  return parts.slice(part).every((each) => each === 'any');
}

/** Undefined for a class without an end or with a range in the wrong order. */
function partsOf(pattern: string): readonly Part[] | undefined {
  const parts: Part[] = [];
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern[at]!;
    if (character === '*') {
      if (parts.at(-1) !== 'any') parts.push('any');
    } else if (character === '?') {
      parts.push(() => true);
    } else if (character === '[') {
      const end = pattern.indexOf(']', pattern[at + 1] === '^' ? at + 3 : at + 2);
      const test = end < 0 ? undefined : classOf(pattern.slice(at + 1, end));
      if (test === undefined) return undefined;
      parts.push(test);
      at = end;
    } else {
      parts.push((each) => each === character);
    }
  }
  return parts;
}

function classOf(text: string): ((character: string) => boolean) | undefined {
  const negated = text.startsWith('^');
  const ranges: [string, string][] = [];
  for (let at = negated ? 1 : 0; at < text.length; at += 1) {
    const from = text[at]!;
    const isRange = text[at + 1] === '-' && at + 2 < text.length;
    ranges.push([from, isRange ? text[at + 2]! : from]);
    if (isRange) at += 2;
  }
  if (ranges.length === 0 || ranges.some(([from, to]) => from > to)) return undefined;
  return (character) =>
    ranges.some(([from, to]) => from <= character && character <= to) !== negated;
}

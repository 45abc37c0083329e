/** Longer words are not compared: the time is the product of both lengths. */
const LONGEST = 100;

/**
 * The candidate most similar to `word`, ignoring case: the fewest edits (insert, delete, replace,
 * swap neighbours), and the first of equals. `undefined` if even the best differs in more than a
 * third of the word, or in more than one letter of a short word. Words of more than 100 characters
 * resemble none.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  const wanted = word.toLowerCase();
  let limit = Math.max(1, Math.floor(wanted.length / 3));
  let best: string | undefined;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - wanted.length) > limit) continue;
    const distance = edits(wanted, candidate.toLowerCase());
    if (distance > limit || (best !== undefined && distance === limit)) continue;
    best = candidate;
    limit = distance;
  }
  return best;
}

/**
 * The hint for an unknown word: the most similar known word, else all known words; `none` if there
 * are no known words.
 */
export function suggestName(word: string, known: readonly string[], none = 'known: none'): string {
  if (known.length === 0) return none;
  const meant = nearest(word, known);
  return meant === undefined ? `known: ${known.join(', ')}` : `did you mean "${meant}"?`;
}

function edits(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, beforeLast[column - 2]! + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length]!;
}

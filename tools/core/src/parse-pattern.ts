/** A part of a regular expression. */
export type PatternNode =
  | { readonly kind: 'character'; readonly test: (character: string) => boolean }
  | { readonly kind: 'start' | 'end' }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly PatternNode[] }
  | {
      readonly kind: 'repeat';
      readonly part: PatternNode;
      readonly least: number;
      readonly most: number;
    };

const DEPTH = 50;
/** A character class, an escape, a dot or a literal character. */
const ATOM =
  /\[(?:\\.|[^\]\\])*\]|\\(?:u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[^}]*\}|c[A-Za-z]|.)|./suy;
const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/y;
const GROUP = /\((?:\?(?::|<(?![=!])[^>]*>))?/y;

/**
 * Parses a pattern that `RegExp` accepts with the flag `u`. Throws a `SyntaxError` for parts that
 * an automaton cannot match.
 */
export function parsePattern(source: string): PatternNode {
  return new PatternParser(source).choice(0);
}

class PatternParser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Parses alternatives up to the end of their group. */
  choice(depth: number): PatternNode {
    if (depth > DEPTH) throw new SyntaxError('its parentheses are nested too deeply');
    const parts = [this.#sequence(depth)];
    while (this.#next() === '|') {
      this.#at += 1;
      parts.push(this.#sequence(depth));
    }
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  #sequence(depth: number): PatternNode {
    const parts: PatternNode[] = [];
    for (let next = this.#next(); next !== undefined && next !== '|' && next !== ')';) {
      parts.push(this.#repeated(this.#part(next, depth)));
      next = this.#next();
    }
    return { kind: 'sequence', parts };
  }

  #part(next: string, depth: number): PatternNode {
    if (next === '^' || next === '$') {
      this.#at += 1;
      return { kind: next === '^' ? 'start' : 'end' };
    }
    if (next !== '(') return this.#character();
    if (this.#match(GROUP) === undefined || this.#next() === '?')
      throw new SyntaxError('it looks ahead or behind, or sets flags');
    const inside = this.choice(depth + 1);
    this.#at += 1;
    return inside;
  }

  #character(): PatternNode {
    const atom = this.#match(ATOM)?.[0];
    if (atom === undefined || /^\\[1-9kbB]/.test(atom))
      throw new SyntaxError('it refers to a group or to the border of a word');
    // A single character is matched against a single class, so the expression cannot backtrack.
    const test = new RegExp(`^${atom}$`, 'u');
    return { kind: 'character', test: (character) => test.test(character) };
  }

  #repeated(part: PatternNode): PatternNode {
    const found = this.#match(QUANTIFIER);
    if (found === undefined) return part;
    const [quantifier, least, range, most] = found;
    if (least !== undefined)
      return {
        kind: 'repeat',
        part,
        least: Number(least),
        most: range === undefined ? Number(least) : most === '' ? Infinity : Number(most),
      };
    return {
      kind: 'repeat',
      part,
      least: quantifier.startsWith('+') ? 1 : 0,
      most: quantifier.startsWith('?') ? 1 : Infinity,
    };
  }

  #next(): string | undefined {
    return this.#source[this.#at];
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source) ?? undefined;
    if (found !== undefined) this.#at += found[0].length;
    return found;
  }
}

import type { SymbolicObjects } from './symbols.ts';

/** Where a value is in an object: the whole member, or a part of a text. */
export interface Place {
  readonly object: string;
  readonly path: readonly (string | number)[];
  /** The characters of a text; absent for a member that is the value itself. */
  readonly span?: readonly [start: number, end: number];
}

type Scalar = string | number | boolean;

/**
 * The places of a value, found by the differences between objects with it and with another one.
 * Returns undefined if the other value changes anything else: an object, a list or a computed
 * value.
 */
export function findPlaces(
  base: SymbolicObjects['objects'],
  other: SymbolicObjects['objects'],
  values: { readonly base: Scalar; readonly other: Scalar },
): readonly Place[] | undefined {
  if (base.size !== other.size) return undefined;
  const places: Place[] = [];
  const isSame = (object: string, path: Place['path'], a: unknown, b: unknown): boolean => {
    if (a === b) return true;
    if (typeof a === 'string' && typeof b === 'string') {
      const spans = findSpans(a, b, String(values.base), String(values.other));
      if (spans === undefined) return false;
      const isWhole = a === values.base;
      places.push(...spans.map((span) => (isWhole ? { object, path } : { object, path, span })));
      return true;
    }
    if (a === values.base && b === values.other) {
      places.push({ object, path });
      return true;
    }
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    const keys = Object.keys(a);
    return (
      Array.isArray(a) === Array.isArray(b) &&
      keys.length === Object.keys(b).length &&
      keys.every(
        (key) =>
          Object.hasOwn(b, key) &&
          isSame(
            object,
            [...path, Array.isArray(a) ? Number(key) : key],
            (a as Record<string, unknown>)[key],
            (b as Record<string, unknown>)[key],
          ),
      )
    );
  };
  for (const [key, object] of base)
    if (!other.has(key) || !isSame(key, [], object, other.get(key))) return undefined;
  return places;
}

/**
 * The places of `value` in `text` that are `otherValue` in `other`; the texts are equal elsewhere.
 */
function findSpans(
  text: string,
  other: string,
  value: string,
  otherValue: string,
): (readonly [number, number])[] | undefined {
  const spans: (readonly [number, number])[] = [];
  let at = 0;
  let there = 0;
  while (at < text.length || there < other.length) {
    if (text[at] === other[there]) {
      at += 1;
      there += 1;
    } else if (text.startsWith(value, at) && other.startsWith(otherValue, there)) {
      spans.push([at, at + value.length]);
      at += value.length;
      there += otherValue.length;
    } else return undefined;
  }
  return spans;
}

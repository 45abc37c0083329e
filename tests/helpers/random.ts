/** A generator of pseudo-random values: the same seed gives the same values on every machine. */
export interface Random {
  readonly seed: number;
  /** An integer of 0 up to, not including, `below`. */
  int(below: number): number;
  pick<T>(items: readonly T[]): T;
  /** True with the probability `p`. */
  chance(p: number): boolean;
  bytes(length: number): Buffer;
  /** A text of `length` characters of `alphabet`. */
  text(length: number, alphabet: string): string;
}

/** The generator mulberry32 (public domain), with 32 bits of state. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (below: number): number => Math.floor(next() * below);
  const pick = <T>(items: readonly T[]): T => items[int(items.length)]!;
  return {
    seed,
    int,
    pick,
    chance: (p) => next() < p,
    bytes: (length) => Buffer.from(Array.from({ length }, () => int(256))),
    text: (length, alphabet) =>
      Array.from({ length }, () => alphabet[int(alphabet.length)]).join(''),
  };
}

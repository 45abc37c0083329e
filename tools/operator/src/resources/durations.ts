const UNITS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Milliseconds of a duration like `90s`, `30m`, `4h` or `7d`; the schema allows nothing else. */
export function durationMs(text: string): number {
  return Number(text.slice(0, -1)) * (UNITS[text.at(-1)!] ?? Number.NaN);
}

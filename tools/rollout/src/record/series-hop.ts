/** A change of a site's series. */
export interface SeriesHop {
  readonly from: string;
  readonly to: string;
  /** Releases of OpenStack between them, which a skip-level upgrade leaves out. */
  readonly between: readonly string[];
}

/** OpenStack has two series a year, such as 2025.1 and 2025.2. */
const NAME = /^(\d{4})\.([12])$/;

/** The hop from the series of the running release, if both are known and differ. */
export function seriesHop(from: string | undefined, to: string | undefined): SeriesHop | undefined {
  if (from === undefined || to === undefined || from === to) return undefined;
  const [first, last] = [numberOf(from), numberOf(to)];
  const count =
    first === undefined || last === undefined ? 0 : Math.max(0, Math.abs(last - first) - 1);
  const step = (last ?? 0) > (first ?? 0) ? 1 : -1;
  const between = Array.from({ length: count }, (_, index) => nameOf(first! + (index + 1) * step));
  return { from, to, between };
}

/** `series 2025.1 -> 2026.1, over 2025.2`. */
export function seriesHopText({ from, to, between }: SeriesHop): string {
  return `series ${from} -> ${to}${between.length === 0 ? '' : `, over ${between.join(', ')}`}`;
}

function numberOf(series: string): number | undefined {
  const [, year, half] = NAME.exec(series) ?? [];
  return year === undefined ? undefined : Number(year) * 2 + Number(half) - 1;
}

function nameOf(number: number): string {
  return `${Math.floor(number / 2)}.${(number % 2) + 1}`;
}

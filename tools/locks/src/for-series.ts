import type { SeriesItem } from '#definitions';
export function forSeries(items: readonly SeriesItem[], series: string): string[] {
  return items.filter((item) => item.series === undefined || item.series.includes(series)).map(({ value }) => value);
}

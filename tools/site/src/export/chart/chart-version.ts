/**
 * Version of a chart: `SERIES.NUMBER`, which is a semantic version and orders by series and number.
 * A series that is not two numbers, such as master, gives a pre-release of 0.0.
 */
export function chartVersion(series: string, number: number): string {
  return /^\d+\.\d+$/.test(series) ? `${series}.${number}` : `0.0.${number}-${series}`;
}

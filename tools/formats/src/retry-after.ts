/**
 * Milliseconds to wait from `now`, from a Retry-After header (seconds or a date); 0 for a time in
 * the past, undefined for other values.
 */
export function retryAfterMs(header: string, now: number): number | undefined {
  const text = header.trim();
  const said = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(said) ? undefined : Math.max(0, said);
}

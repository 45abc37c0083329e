/** Milliseconds from `now` until another try, as a header Retry-After says (seconds or a date), 0 where that is past; undefined where it says nothing of the kind. */
export function retryAfterMs(header: string, now: number): number | undefined {
  const text = header.trim();
  const said = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now;
  return Number.isNaN(said) ? undefined : Math.max(0, said);
}

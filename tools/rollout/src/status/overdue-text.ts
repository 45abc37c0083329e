import type { LiveObject } from '#ports';

/**
 * How late a renewal can be before it is reported: issuers take time, and are retried after an
 * hour.
 */
const LATE_MS = 2 * 3_600_000;

/**
 * The text about a Certificate that was not renewed in time; empty for other objects. `now` in
 * milliseconds since 1970.
 */
export function overdueText({ kind, status }: LiveObject, now: number): string {
  const { renewalTime, notAfter } = (status ?? {}) as {
    readonly renewalTime?: string;
    readonly notAfter?: string;
  };
  if (
    kind !== 'Certificate' ||
    renewalTime === undefined ||
    notAfter === undefined ||
    now < Date.parse(renewalTime) + LATE_MS
  )
    return '';
  return `should have been renewed at ${renewalTime} and was not; it expires at ${notAfter}`;
}

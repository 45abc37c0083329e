import type { LiveObject } from '#ports';

/** How late a renewal may be before it counts as failed: issuers take their time, and are asked again after an hour. */
const LATE_MS = 2 * 3_600_000;

/** What is to be said of a Certificate whose issuer did not renew it when it was to; empty of all else. `now` in milliseconds. */
export function overdueText({ kind, status }: LiveObject, now: number): string {
  const { renewalTime, notAfter } = (status ?? {}) as { readonly renewalTime?: string; readonly notAfter?: string };
  if (kind !== 'Certificate' || renewalTime === undefined || notAfter === undefined || now < Date.parse(renewalTime) + LATE_MS) return '';
  return `was to be renewed at ${renewalTime} and is not; it expires at ${notAfter}`;
}

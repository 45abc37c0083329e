import { expect, it } from 'vitest';
import type { MaintenanceWindow } from '../resources/types.ts';
import { nextWindow } from './windows.ts';

/** The next opening after a time, in UTC; 2026-11-24 is a Tuesday. */
function opening(windows: readonly MaintenanceWindow[], now: string): string | undefined {
  const next = nextWindow(windows, Date.parse(`2026-11-${now}Z`));
  return next === undefined ? undefined : new Date(next).toISOString().slice(8, 16);
}
const nightly = { start: '22:00', duration: '4h' };

it.each<readonly [string, readonly MaintenanceWindow[], string, string | undefined]>([
  ['no windows', [], '24T12:00', undefined],
  ['before it opens', [nightly], '24T21:59', '24T22:00'],
  ['its first moment', [nightly], '24T22:00', undefined],
  ['past midnight', [nightly], '25T01:59', undefined],
  ['when it has closed', [nightly], '25T02:00', '25T22:00'],
  ['another day of the week', [{ ...nightly, days: ['Sunday'] }], '24T23:00', '29T22:00'],
  ['past midnight of its day', [{ ...nightly, days: ['Tuesday'] }], '25T01:00', undefined],
  ['a day later', [{ ...nightly, days: ['Tuesday'] }], '25T23:00', '01T22:00'],
  [
    'several days long',
    [{ days: ['Friday'], start: '00:00', duration: '7d' }],
    '24T12:00',
    undefined,
  ],
  ['the first of two', [nightly, { start: '13:00', duration: '30m' }], '24T12:00', '24T13:00'],
])('opens a window in UTC: %s', (_, windows, now, expected) => {
  expect(opening(windows, now)).toBe(expected);
});

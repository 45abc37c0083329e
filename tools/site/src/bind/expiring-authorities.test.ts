import { expect, it } from 'vitest';
import { formatPosition } from '#core';
import type { Site } from '#definitions';
import { AUTHORITY } from '../testing/authority.ts';
import { expiringAuthorities } from './expiring-authorities.ts';

const END = Date.parse('2027-11-21T20:42:36Z');
const DAY = 86_400_000;

const warnings = (ca: string, now: number): string[] =>
  expiringAuthorities(
    { tls: { ca }, position: () => ({ file: 'site.yaml' }) } as unknown as Site,
    now,
  ).map(({ at, message }) => `${formatPosition(at!)} ${message}`);

it.each([
  [-31, []],
  [-29, ['site.yaml the certificate authority "O=ccp, CN=test" expires on 2027-11-21']],
  [1, ['site.yaml the certificate authority "O=ccp, CN=test" expired on 2027-11-21']],
])('warns from 30 days before expiry (day %i)', (days, expected) => {
  expect(warnings(`${AUTHORITY}\n`, END + days * DAY)).toEqual(expected);
});

it('checks each certificate and skips other text', () => {
  const broken = AUTHORITY.replace('MII', 'AAA');
  expect(warnings([broken, AUTHORITY, AUTHORITY, ''].join('\n'), END)).toHaveLength(2);
});

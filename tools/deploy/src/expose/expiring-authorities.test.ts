import { expect, it } from 'vitest';
import { formatPosition } from '#core';
import type { Site } from '#definitions';
import { expiringAuthorities } from './expiring-authorities.ts';

/** Of O=ccp, CN=test, until END. */
const AUTHORITY = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBjzCCATWgAwIBAgIUQRa7MbppxSVvPLkB9VUZ9IUE+98wCgYIKoZIzj0EAwIw',
  'HTEMMAoGA1UECgwDY2NwMQ0wCwYDVQQDDAR0ZXN0MB4XDTI2MTEyMTIwNDIzNloX',
  'DTI3MTEyMTIwNDIzNlowHTEMMAoGA1UECgwDY2NwMQ0wCwYDVQQDDAR0ZXN0MFkw',
  'EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2PzbkyL1AcQ2g61x07ViIandA4slmBB6',
  'tDFFx941NWiZQz1rcbSUz/88/P05p/bY1boWHxvGyO+E+BLAbmegFKNTMFEwHQYD',
  'VR0OBBYEFP6vT4sM7MnzflJDaPac8txp632vMB8GA1UdIwQYMBaAFP6vT4sM7Mnz',
  'flJDaPac8txp632vMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIh',
  'ANBixKx1nnC3xAzx5Gmr5I9OXP1kHhAXMka8tpiChAEbAiAdrkzH7848PlUuCKi0',
  'fAtILuN1q/tsGaMt/YVf3DSdSg==',
  '-----END CERTIFICATE-----',
].join('\n');
const END = Date.parse('2027-11-21T20:42:36Z');
const DAY = 86_400_000;

const warnings = (ca: string, now: number): string[] => expiringAuthorities({ tls: { ca }, position: () => ({ file: 'site.yaml' }) } as unknown as Site, now).map(({ at, message }) => `${formatPosition(at!)} ${message}`);

it.each([
  [-31, []],
  [-29, ['site.yaml the authority "O=ccp, CN=test" ends on 2027-11-21']],
  [1, ['site.yaml the authority "O=ccp, CN=test" ended on 2027-11-21']],
])('an authority, %i days after its end', (days, expected) => {
  expect(warnings(`${AUTHORITY}\n`, END + days * DAY)).toEqual(expected);
});

it('each of several is judged, and what is none is left to who reads it', () => {
  const broken = AUTHORITY.replace('MII', 'AAA');
  expect(warnings([broken, AUTHORITY, AUTHORITY, ''].join('\n'), END)).toHaveLength(2);
});

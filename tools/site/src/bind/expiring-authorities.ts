import { CcpError } from '#core';
import type { Site } from '#definitions';
import { certificatesIn } from './certificates-in.ts';

const SOON_MS = 30 * 86_400_000;

/**
 * Returns a warning `certificate-expires` for each authority in `tls.ca` that expires within 30
 * days of `now` (milliseconds): clients then reject its certificates.
 */
export function expiringAuthorities(site: Site, now: number): CcpError[] {
  return certificatesIn(site.tls?.ca).flatMap((certificate) => {
    const { subject, validTo } = certificate ?? {};
    if (validTo === undefined || Date.parse(validTo) > now + SOON_MS) return [];
    const expires = new Date(validTo).toISOString().slice(0, 10);
    const name = (subject ?? '').split('\n').join(', ');
    return [
      new CcpError({
        code: 'certificate-expires',
        message: `the certificate authority ${JSON.stringify(name)} ${Date.parse(validTo) < now ? 'expired' : 'expires'} on ${expires}`,
        hint: 'add its successor now, and remove this authority when all certificates are issued by the successor',
        at: site.position(['tls', 'ca']),
      }),
    ];
  });
}

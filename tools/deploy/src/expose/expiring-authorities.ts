import { CcpError } from '#core';
import type { Site } from '#definitions';
import { certificatesIn } from './certificates-in.ts';

const SOON_MS = 30 * 86_400_000;

/** A warning `certificate-expires` for each authority in `tls.ca` of a site that ends within a month: clients trust nothing from it then. `now` in milliseconds. */
export function expiringAuthorities(site: Site, now: number): CcpError[] {
  return certificatesIn(site.tls?.ca).flatMap((certificate) => {
    const { subject, validTo } = certificate ?? {};
    if (validTo === undefined || Date.parse(validTo) > now + SOON_MS) return [];
    const ends = new Date(validTo).toISOString().slice(0, 10);
    const name = (subject ?? '').split('\n').join(', ');
    return [
      new CcpError({
        code: 'certificate-expires',
        message: `the authority ${JSON.stringify(name)} ${Date.parse(validTo) < now ? 'ended' : 'ends'} on ${ends}`,
        hint: 'add the one that comes after it, and take it away when all certificates are from that',
        at: site.position(['tls', 'ca']),
      }),
    ];
  });
}

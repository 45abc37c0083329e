import type { FileFindings } from '#core';
import type { Site } from '#definitions';
import { certificatesIn } from '../expose/certificates-in.ts';

/** Certificates in `tls.ca` that nobody can read: who is given the file trusts nothing of it. */
export function checkAuthorities({ tls }: Site, { refuse }: FileFindings): void {
  const all = certificatesIn(tls?.ca);
  for (const [index, certificate] of all.entries()) {
    if (certificate === undefined)
      refuse(['tls', 'ca'], `certificate ${index + 1} of ${all.length} in tls.ca cannot be read`, 'copy it anew, whole: from its BEGIN to its END line');
  }
}

import type { FileFindings } from '#core';
import type { Site } from '#definitions';
import { certificatesIn } from './certificates-in.ts';

/** Reports certificates in `tls.ca` that cannot be parsed: clients reject the whole file. */
export function checkAuthorities({ tls }: Site, { refuse }: FileFindings): void {
  const all = certificatesIn(tls?.ca);
  for (const [index, certificate] of all.entries()) {
    if (certificate === undefined)
      refuse(
        ['tls', 'ca'],
        `certificate ${index + 1} of ${all.length} in tls.ca cannot be parsed`,
        'copy the certificate again, from its BEGIN line to its END line',
      );
  }
}

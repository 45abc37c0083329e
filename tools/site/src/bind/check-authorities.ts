import type { CcpError } from '#core';
import type { Site } from '#definitions';
import { certificatesIn } from './certificates-in.ts';
import { siteFindings } from './site-findings.ts';

/** Reports certificates in `tls.ca` that cannot be parsed: clients reject the whole file. */
export function checkAuthorities(site: Site): readonly CcpError[] {
  const { findings, refuse } = siteFindings(site);
  const all = certificatesIn(site.tls?.ca);
  for (const [index, certificate] of all.entries()) {
    if (certificate === undefined)
      refuse(
        ['tls', 'ca'],
        `certificate ${index + 1} of ${all.length} in tls.ca cannot be parsed`,
        'copy the certificate again, from its BEGIN line to its END line',
      );
  }
  return findings;
}

import { CcpError, nearest } from '#core';
import type { Site } from '#definitions';

/** A path in the site's file. */
export type SitePath = readonly (string | number)[];

/** Where checks of a site note what they find. */
export interface SiteFindings {
  /** `site-invalid` each, at its place, in the order they were noted. */
  readonly findings: readonly CcpError[];
  refuse(path: SitePath, message: string, hint?: string): void;
  /** Refuses a name that is none of `names`, with the nearest one; `what` says what it should be, such as `"keystone" has no workload`. */
  known(path: SitePath, what: string, name: string, names: Iterable<string>): void;
}

/** No findings yet. */
export function siteFindings(site: Pick<Site, 'position'>): SiteFindings {
  const findings: CcpError[] = [];
  const refuse: SiteFindings['refuse'] = (path, message, hint) => {
    findings.push(new CcpError({ code: 'site-invalid', message, at: site.position(path), ...(hint === undefined ? {} : { hint }) }));
  };
  return {
    findings,
    refuse,
    known: (path, what, name, names) => {
      const list = [...names];
      if (list.includes(name)) return;
      const meant = nearest(name, list);
      refuse(path, `${what} "${name}"`, meant === undefined ? `known: ${list.join(', ') || 'none'}` : `did you mean "${meant}"?`);
    },
  };
}

import type { CcpError } from '#core';
import type { AppSpec, Site } from '#definitions';
import { checkExternal } from './check-external.ts';
import { checkNamespace } from './check-namespace.ts';
import { siteFindings } from './site-findings.ts';

/** What a site says beside its apps that cannot be; `specs` are those of its apps. `site-invalid` each, at its place. */
export function checkSite(site: Site, specs: readonly AppSpec[]): readonly CcpError[] {
  const found = siteFindings(site);
  checkNamespace(site, found);
  checkExternal(site, specs, found);
  return found.findings;
}

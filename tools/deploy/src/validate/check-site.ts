import type { CcpError } from '#core';
import type { AppSpec, Site } from '#definitions';
import type { Instance } from '../instances.ts';
import { checkAuthorities } from './check-authorities.ts';
import { checkExternal } from './check-external.ts';
import { checkHostPorts } from './check-host-ports.ts';
import { checkNamespace } from './check-namespace.ts';
import { siteFindings } from './site-findings.ts';

/** What a site says beside its apps that cannot be; `specs` are those of its apps. `site-invalid` each, at its place. */
export function checkSite(site: Site, specs: readonly AppSpec[], instances: ReadonlyMap<string, Instance>): readonly CcpError[] {
  const found = siteFindings(site);
  checkNamespace(site, found);
  checkAuthorities(site, found);
  checkExternal(site, specs, found);
  checkHostPorts(site, instances, found);
  return found.findings;
}

import type { CcpError } from '#core';
import type { AppSpec, Site } from '#definitions';
import type { Instance } from '../model/instance.ts';
import { checkAuthorities } from './check-authorities.ts';
import { checkExternal } from './check-external.ts';
import { checkHostPorts } from './check-host-ports.ts';
import { checkNamespace } from './check-namespace.ts';
import { siteFindings } from './site-findings.ts';

/** Reports faults of the site outside `apps`, as `site-invalid` with position. `specs` are the app specs of its apps. */
export function checkSite(
  site: Site,
  specs: readonly AppSpec[],
  instances: ReadonlyMap<string, Instance>,
): readonly CcpError[] {
  const found = siteFindings(site);
  checkNamespace(site, found);
  checkAuthorities(site, found);
  checkExternal(site, specs, found);
  checkHostPorts(site, instances, found);
  return found.findings;
}

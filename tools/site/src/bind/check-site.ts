import type { CcpError } from '#core';
import type { AppSpec, Site } from '#definitions';
import type { Instance } from '../model/instance.ts';
import { checkAuthorities } from './check-authorities.ts';
import { checkExternal } from './check-external.ts';
import { checkHostPorts } from './check-host-ports.ts';
import { checkNamespaces } from './check-namespaces.ts';

/**
 * Reports faults of the site outside `apps`, as `site-invalid` with position. `specs` are the app
 * specs of its apps.
 */
export function checkSite(
  site: Site,
  specs: readonly AppSpec[],
  instances: ReadonlyMap<string, Instance>,
): readonly CcpError[] {
  return [
    ...checkNamespaces(site, instances),
    ...checkAuthorities(site),
    ...checkExternal(site, specs),
    ...checkHostPorts(site, instances),
  ];
}

import type { CcpError, FileFindings } from '#core';
import type { Site, SiteCertificate, SiteGateway } from '#definitions';
import type { Instance } from '../model/instance.ts';
import { checkAddresses } from './check-addresses.ts';
import { checkAnnotations } from './check-annotations.ts';
import { checkHosts } from './check-hosts.ts';
import { publicEndpoints } from '../model/public-endpoints.ts';
import { generatedFor } from './secret-requests.ts';
import { siteFindings, type Refuse } from './site-findings.ts';

const SET_ONE = 'set "ingress" or "gateway"';

/** Reports invalid hosts, certificates, Ingress and Gateway settings of a site, as `site-invalid` with position. */
export function checkExpose(
  site: Site,
  instances: ReadonlyMap<string, Instance>,
): readonly CcpError[] {
  const found = siteFindings(site);
  const { refuse } = found;
  const { expose, tls } = site;
  const endpoints = publicEndpoints(site, instances);
  if (
    expose === undefined &&
    tls !== undefined &&
    (tls.ca === undefined || Object.keys(tls).length > 1)
  )
    refuse(['tls'], '"tls" is set, but "expose" is missing', 'set "expose"');
  if (expose !== undefined) {
    if (expose.ingress === undefined && expose.gateway === undefined)
      refuse(['expose'], '"expose" sets neither an Ingress nor a Gateway', SET_ONE);
    if (expose.ingress !== undefined && expose.gateway !== undefined)
      refuse(['expose'], '"expose" sets both an Ingress and a Gateway', SET_ONE);
    if (expose.gateway !== undefined) checkGateway(expose.gateway, refuse);
    if (endpoints.length === 0)
      refuse(['expose'], 'no endpoint of the site has a host', 'set one: apps.APP.hosts.ENDPOINT');
  }
  if (tls !== undefined) checkCertificate(tls, site, instances, ['tls'], refuse);
  checkAddresses(site, refuse);
  checkAnnotations(site, refuse);
  for (const instance of instances.values()) checkExposed(instance, site, instances, found);
  checkHosts(endpoints, site, refuse);
  return found.findings;
}

function checkGateway(
  { name, namespace, listeners, class: made, addresses, annotations }: SiteGateway,
  refuse: Refuse,
): void {
  const path = ['expose', 'gateway'];
  if ((name === undefined) === (made === undefined))
    refuse(
      path,
      'a Gateway is either an existing Gateway or created for the site',
      'set "name" for an existing Gateway, or "class" to create one',
    );
  const ofOthers = { namespace, listeners };
  const ofOurs = { addresses, annotations };
  for (const [key, value] of Object.entries(name === undefined ? ofOthers : ofOurs)) {
    if (value !== undefined)
      refuse(
        [...path, key],
        name === undefined
          ? `"${key}" applies to an existing Gateway only; this one is created for the site`
          : `the Gateway "${name}" exists already; its owner sets its ${key}`,
      );
  }
}

function checkCertificate(
  { secret, issuer }: SiteCertificate,
  { expose }: Site,
  instances: ReadonlyMap<string, Instance>,
  path: readonly string[],
  refuse: Refuse,
): void {
  const owner = secret === undefined ? undefined : generatedFor(instances, secret);
  if (owner !== undefined)
    refuse(
      [...path, 'secret'],
      `the Secret "${secret}" is generated for ${owner}; a certificate would overwrite it`,
      'use another name',
    );
  if (issuer !== undefined && secret === undefined)
    refuse(
      [...path, 'issuer'],
      '"issuer" needs a Secret to write the certificate to',
      'set secret: NAME',
    );
  const gateway = expose?.gateway?.name;
  if (gateway !== undefined && (secret !== undefined || issuer !== undefined))
    refuse(
      path,
      `the Gateway "${gateway}" exists already; its owner sets its certificates`,
      'remove this key',
    );
}

/** Checks `apps.APP.expose`. */
function checkExposed(
  { name: instance, spec, settings }: Instance,
  site: Site,
  instances: ReadonlyMap<string, Instance>,
  { refuse, known }: FileFindings,
): void {
  const names = Object.entries(spec.provides ?? {})
    .filter(([, { kind }]) => kind === 'endpoint')
    .map(([name]) => name);
  for (const [name, { tls, listener }] of Object.entries(settings.expose ?? {})) {
    const path = ['apps', instance, 'expose', name];
    if (!names.includes(name)) known(path, `"${spec.name}" has no endpoint`, name, names);
    else if (settings.hosts?.[name] === undefined)
      refuse(
        path,
        `"${name}" has no host, so it is not exposed`,
        `set apps.${instance}.hosts.${name}`,
      );
    else if (site.expose === undefined)
      refuse(path, 'the site does not set "expose"', 'set "expose"');
    else {
      if (tls !== undefined) checkCertificate(tls, site, instances, [...path, 'tls'], refuse);
      if (tls !== undefined && settings.hosts[name]!.startsWith('http:'))
        refuse([...path, 'tls'], `"${name}" has a certificate, but its host is served by http`);
      if (listener !== undefined && site.expose.gateway?.name === undefined)
        refuse([...path, 'listener'], '"listener" applies to an existing Gateway only');
    }
  }
}

import type { CcpError } from '#core';
import type { Site, SiteCertificate, SiteGateway } from '#definitions';
import type { Instance } from '../model/instance.ts';
import { checkAddresses } from './check-addresses.ts';
import { checkAnnotations } from './check-annotations.ts';
import { checkHosts } from './check-hosts.ts';
import { publicEndpoints, type PublicEndpoint } from '../model/public-endpoints.ts';
import { generatedFor } from './secret-requests.ts';
import { siteFindings } from './site-findings.ts';

const SET_ONE = 'set "ingress" or "gateway"';

/**
 * Reports invalid hosts, certificates, Ingress and Gateway settings of a site, as `site-invalid`
 * with position.
 */
export function checkExpose(
  site: Site,
  instances: ReadonlyMap<string, Instance>,
): readonly CcpError[] {
  const endpoints = publicEndpoints(site, instances);
  return [
    ...checkExposure(site, endpoints),
    ...(site.tls === undefined ? [] : checkCertificate(site.tls, site, instances, ['tls'])),
    ...checkAddresses(site),
    ...checkAnnotations(site),
    ...[...instances.values()].flatMap((instance) => checkExposed(instance, site, instances)),
    ...checkHosts(endpoints, site),
  ];
}

/** Checks that the site has either an Ingress or a Gateway, and hosts for it. */
function checkExposure(site: Site, endpoints: readonly PublicEndpoint[]): readonly CcpError[] {
  const { findings, refuse } = siteFindings(site);
  const { expose, tls } = site;
  if (expose === undefined) {
    if (tls !== undefined && (tls.ca === undefined || Object.keys(tls).length > 1))
      refuse(['tls'], '"tls" is set, but "expose" is missing', 'set "expose"');
    return findings;
  }
  if (expose.ingress === undefined && expose.gateway === undefined)
    refuse(['expose'], '"expose" sets neither an Ingress nor a Gateway', SET_ONE);
  if (expose.ingress !== undefined && expose.gateway !== undefined)
    refuse(['expose'], '"expose" sets both an Ingress and a Gateway', SET_ONE);
  const ofGateway = expose.gateway === undefined ? [] : checkGateway(expose.gateway, site);
  const unused = siteFindings(site);
  if (endpoints.length === 0)
    unused.refuse(
      ['expose'],
      'no endpoint of the site has a host',
      'set one: apps.APP.hosts.ENDPOINT',
    );
  return [...findings, ...ofGateway, ...unused.findings];
}

function checkGateway(
  { name, namespace, listeners, class: made, addresses, annotations }: SiteGateway,
  site: Site,
): readonly CcpError[] {
  const { findings, refuse } = siteFindings(site);
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
  return findings;
}

function checkCertificate(
  { secret, issuer }: SiteCertificate,
  site: Site,
  instances: ReadonlyMap<string, Instance>,
  path: readonly string[],
): readonly CcpError[] {
  const { findings, refuse } = siteFindings(site);
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
  const gateway = site.expose?.gateway?.name;
  if (gateway !== undefined && (secret !== undefined || issuer !== undefined))
    refuse(
      path,
      `the Gateway "${gateway}" exists already; its owner sets its certificates`,
      'remove this key',
    );
  return findings;
}

/** Checks `apps.APP.expose`. */
function checkExposed(
  instance: Instance,
  site: Site,
  instances: ReadonlyMap<string, Instance>,
): readonly CcpError[] {
  return Object.entries(instance.settings.expose ?? {}).flatMap(([name, { tls, listener }]) => {
    const { name: app, spec, settings } = instance;
    const { findings, refuse, known } = siteFindings(site);
    const path = ['apps', app, 'expose', name];
    const host = settings.hosts?.[name];
    const names = Object.entries(spec.provides ?? {})
      .filter(([, { kind }]) => kind === 'endpoint')
      .map(([endpoint]) => endpoint);
    if (!names.includes(name)) known(path, `"${spec.name}" has no endpoint`, name, names);
    else if (host === undefined)
      refuse(path, `"${name}" has no host, so it is not exposed`, `set apps.${app}.hosts.${name}`);
    else if (site.expose === undefined)
      refuse(path, 'the site does not set "expose"', 'set "expose"');
    else {
      if (tls !== undefined && host.startsWith('http:'))
        refuse([...path, 'tls'], `"${name}" has a certificate, but its host is served by http`);
      if (listener !== undefined && site.expose.gateway?.name === undefined)
        refuse([...path, 'listener'], '"listener" applies to an existing Gateway only');
      if (tls !== undefined)
        return [...checkCertificate(tls, site, instances, [...path, 'tls']), ...findings];
    }
    return findings;
  });
}

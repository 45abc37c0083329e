import type { CcpError, FileFindings } from '#core';
import type { Site, SiteExposure } from '#definitions';
import { closedPorts } from '../model/workload-ports.ts';
import { hasDefaultPort, type PublicEndpoint } from '../model/public-endpoints.ts';
import { siteFindings } from './site-findings.ts';

const ADDRESS = /^[0-9.]+$/;
const MAX_PORT = 65535;
/** Maximum length of a DNS name in text form, without the final dot. */
const MAX_HOST = 253;

/** Reports invalid or duplicate hosts of endpoints. */
export function checkHosts(endpoints: readonly PublicEndpoint[], site: Site): readonly CcpError[] {
  const { findings, refuse } = siteFindings(site);
  const { expose } = site;
  const seen = new Map<string, PublicEndpoint>();
  const schemes = new Map<number, string>(
    endpoints.some(({ origin }) => origin.scheme === 'https' && hasDefaultPort(origin))
      ? [[80, 'http']]
      : [],
  );
  for (const endpoint of endpoints) {
    const { scheme, host, port } = endpoint.origin;
    const path = hostPath(endpoint);
    const place = placeOf(endpoint, site);
    const other = seen.get(place);
    if (other !== undefined)
      refuse(
        path,
        `the host of "${other.instance.name}.${other.name}" is ${place} too`,
        'give each endpoint its own host',
      );
    else seen.set(place, endpoint);
    if (host.length > MAX_HOST)
      refuse(
        path,
        `the host name has ${host.length} characters; a DNS name has at most ${MAX_HOST}`,
      );
    if (port > MAX_PORT) refuse(path, `port ${port} is out of range`);
    if (expose !== undefined) checkExposed(endpoint, expose, refuse);
    if (expose?.gateway?.class === undefined) continue;
    const spoken = schemes.get(port) ?? scheme;
    schemes.set(port, spoken);
    if (spoken !== scheme)
      refuse(path, `port ${port} of the Gateway is used for ${spoken}`, 'use another port');
  }
  return [...findings, ...secondIssuers(endpoints, site)];
}

function hostPath({ instance, name }: PublicEndpoint): readonly string[] {
  return ['apps', instance.name, 'hosts', name];
}

/** Refuses an endpoint that the Ingress or Gateway of the site cannot expose. */
function checkExposed(
  endpoint: PublicEndpoint,
  { from, gateway }: SiteExposure,
  refuse: FileFindings['refuse'],
): void {
  const { instance, name, provision, origin, certificate, listener } = endpoint;
  const { scheme, host } = origin;
  const path = hostPath(endpoint);
  if (ADDRESS.test(host))
    refuse(path, `${host} is an IP address; hosts are distinguished by name`, 'use a DNS name');
  if (from === undefined && closedPorts(instance, provision.workload).includes(provision.port!))
    refuse(
      path,
      `"${name}" accepts requests only from apps that require it`,
      'set the source of outside requests: expose.from',
    );
  if (gateway?.name !== undefined) {
    if (listener === undefined && gateway.listeners?.[scheme] === undefined)
      refuse(
        path,
        `no listener for ${scheme} is set for the Gateway "${gateway.name}"`,
        `set expose.gateway.listeners.${scheme}`,
      );
    return;
  }
  const needsSecret = certificate === undefined || gateway !== undefined;
  if (scheme === 'https' && certificate?.secret === undefined && needsSecret)
    refuse(
      path,
      `${host} has no certificate`,
      `set its Secret: tls: { secret: NAME }${gateway === undefined ? '; tls: {} selects the default certificate of the Ingress controller' : ''}`,
    );
}

/**
 * Key that must be unique for each endpoint: the host for an Ingress; host and port or listener for
 * a Gateway.
 */
function placeOf(
  { origin: { scheme, host, port }, listener }: PublicEndpoint,
  { expose }: Site,
): string {
  if (expose === undefined) return `${scheme}://${host}:${port}`;
  if (expose.gateway === undefined) return host;
  return expose.gateway.name === undefined
    ? `${host}:${port}`
    : `${host} at the listener "${listener ?? expose.gateway.listeners?.[scheme] ?? ''}"`;
}

function secondIssuers(endpoints: readonly PublicEndpoint[], site: Site): readonly CcpError[] {
  const { findings, refuse } = siteFindings(site);
  const issuers = new Map<string, string>();
  for (const { instance, name, origin, certificate } of endpoints) {
    if (certificate?.secret === undefined) continue;
    const issuer =
      certificate.issuer === undefined
        ? 'none'
        : `${certificate.issuer.kind} "${certificate.issuer.name}"`;
    const first = issuers.get(certificate.secret) ?? issuer;
    issuers.set(certificate.secret, first);
    const path =
      instance.settings.expose?.[name]?.tls === undefined
        ? ['tls']
        : ['apps', instance.name, 'expose', name, 'tls'];
    if (first !== issuer)
      refuse(
        path,
        `the Secret "${certificate.secret}" is used with different issuers: ${first} for another host, ${issuer} for ${origin.host}`,
        'use a separate Secret for each issuer',
      );
  }
  return findings;
}

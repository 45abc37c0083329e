import type { Site } from '#definitions';
import { closedPorts } from '../network-policy.ts';
import type { Refuse } from './check-expose.ts';
import { hasDefaultPort, type PublicEndpoint } from './public-endpoints.ts';

const ADDRESS = /^[0-9.]+$/;
const MAX_PORT = 65535;
/** Of a name in DNS, in its text form without the last dot. */
const MAX_HOST = 253;

/** What cannot be of each host as the site exposes it. */
export function checkHosts(endpoints: readonly PublicEndpoint[], site: Site, refuse: Refuse): void {
  const { expose } = site;
  const gateway = expose?.gateway;
  const seen = new Map<string, PublicEndpoint>();
  const schemes = new Map<number, string>(endpoints.some(({ origin }) => origin.scheme === 'https' && hasDefaultPort(origin)) ? [[80, 'http']] : []);
  for (const endpoint of endpoints) {
    const { instance, name, provision, origin, certificate } = endpoint;
    const { scheme, host, port } = origin;
    const path = ['apps', instance.name, 'hosts', name];
    const place = placeOf(endpoint, site);
    const other = seen.get(place);
    if (other !== undefined) refuse(path, `the host of "${other.instance.name}.${other.name}" is ${place} too`, 'give each endpoint a host of its own');
    else seen.set(place, endpoint);
    if (host.length > MAX_HOST) refuse(path, `the host name has ${host.length} characters, and a DNS name at most ${MAX_HOST}`);
    if (port > MAX_PORT) refuse(path, `there is no port ${port}`);
    if (expose === undefined) continue;
    if (ADDRESS.test(host)) refuse(path, `${host} is an address, and hosts are told apart by name`, 'give it a DNS name');
    if (expose.from === undefined && closedPorts(instance, provision.workload).includes(provision.port!))
      refuse(path, `"${name}" lets in only those who require it`, 'say who brings requests from outside: expose.from');
    if (gateway?.name !== undefined) {
      if (endpoint.listener === undefined && gateway.listeners?.[scheme] === undefined)
        refuse(path, `no listener of the Gateway "${gateway.name}" is named for ${scheme}`, `name it: expose.gateway.listeners.${scheme}`);
    } else if (scheme === 'https' && certificate?.secret === undefined && (certificate === undefined || gateway !== undefined)) {
      refuse(
        path,
        `${host} has no certificate`,
        `name its Secret: tls: { secret: NAME }${gateway === undefined ? '; tls: {} is the certificate of the Ingress controller' : ''}`,
      );
    }
    if (gateway?.class === undefined) continue;
    const spoken = schemes.get(port) ?? scheme;
    schemes.set(port, spoken);
    if (spoken !== scheme) refuse(path, `port ${port} of the Gateway speaks ${spoken}`, 'give it another port');
  }
  refuseSecondIssuers(endpoints, refuse);
}

/** What no two endpoints may share: an Ingress tells hosts apart, a Gateway ports or listeners too. */
function placeOf({ origin: { scheme, host, port }, listener }: PublicEndpoint, { expose }: Site): string {
  if (expose === undefined) return `${scheme}://${host}:${port}`;
  if (expose.gateway === undefined) return host;
  return expose.gateway.name === undefined ? `${host}:${port}` : `${host} at the listener "${listener ?? expose.gateway.listeners?.[scheme] ?? ''}"`;
}

function refuseSecondIssuers(endpoints: readonly PublicEndpoint[], refuse: Refuse): void {
  const issuers = new Map<string, string>();
  for (const { instance, name, origin, certificate } of endpoints) {
    if (certificate?.secret === undefined) continue;
    const issuer = certificate.issuer === undefined ? 'nobody' : `${certificate.issuer.kind} "${certificate.issuer.name}"`;
    const first = issuers.get(certificate.secret) ?? issuer;
    issuers.set(certificate.secret, first);
    const path = instance.settings.expose?.[name]?.tls === undefined ? ['tls'] : ['apps', instance.name, 'expose', name, 'tls'];
    if (first !== issuer)
      refuse(
        path,
        `the Secret "${certificate.secret}" is filled by ${first} for another host, and by ${issuer} for ${origin.host}`,
        'give them Secrets of their own',
      );
  }
}

import { CcpError, nearest } from '#core';
import type { Site } from '#definitions';
import type { Instance } from '../instances.ts';
import { publicEndpoints, type PublicEndpoint } from './public-endpoints.ts';

const ADDRESS = /^[0-9.]+$/;
const MAX_PORT = 65535;

/** What a site says about its hosts and the ways to them that cannot be; `site-invalid` each, at its place. */
export function checkExpose(site: Site, instances: ReadonlyMap<string, Instance>): CcpError[] {
  const findings: CcpError[] = [];
  const refuse = (path: readonly string[], message: string, hint?: string): void => {
    findings.push(new CcpError({ code: 'site-invalid', message, at: site.position(path), ...(hint === undefined ? {} : { hint }) }));
  };
  const endpoints = publicEndpoints(site, instances);
  if (site.expose === undefined) {
    if (site.tls !== undefined) refuse(['tls'], 'the site says with what hosts are served, and not by what', 'say it under "expose"');
  } else {
    if (site.expose.ingress === undefined) refuse(['expose'], '"expose" names no way in', 'known: ingress');
    if (endpoints.length === 0) refuse(['expose'], 'no app of the site has a host that could be exposed', 'give one: apps.APP.hosts.ENDPOINT');
  }
  for (const instance of instances.values()) {
    const names = Object.entries(instance.spec.provides ?? {}).filter(([, { kind }]) => kind === 'endpoint').map(([name]) => name);
    for (const name of Object.keys(instance.settings.expose ?? {})) {
      const path = ['apps', instance.name, 'expose', name];
      if (!names.includes(name)) {
        const meant = nearest(name, names);
        refuse(path, `"${instance.spec.name}" has no endpoint "${name}"`, meant === undefined ? `known: ${names.join(', ') || 'none'}` : `did you mean "${meant}"?`);
      } else if (instance.settings.hosts?.[name] === undefined) refuse(path, `"${name}" has no host, so nothing leads there`, `give it one: apps.${instance.name}.hosts.${name}`);
      else if (site.expose === undefined) refuse(path, 'the site does not say how hosts are exposed', 'say it under "expose"');
    }
  }
  const seen = new Map<string, PublicEndpoint>();
  for (const endpoint of endpoints) {
    const { instance, name, origin } = endpoint;
    const path = ['apps', instance.name, 'hosts', name];
    const key = site.expose === undefined ? `${origin.scheme}://${origin.host}:${origin.port}` : origin.host;
    const other = seen.get(key);
    if (other !== undefined) refuse(path, `the host of "${other.instance.name}.${other.name}" is ${key} too`, 'give each endpoint a host of its own');
    else seen.set(key, endpoint);
    if (origin.port > MAX_PORT) refuse(path, `there is no port ${origin.port}`);
    if (site.expose === undefined) continue;
    if (ADDRESS.test(origin.host)) refuse(path, `${origin.host} is an address, and hosts are told apart by name`, 'give it a DNS name');
    if (origin.scheme === 'https' && endpoint.certificate === undefined) refuse(path, `${origin.host} has no certificate`, 'name its Secret: tls: { secret: NAME }; tls: {} is the certificate of the Ingress controller');
    if (origin.scheme === 'http' && instance.settings.expose?.[name]?.tls !== undefined) refuse(['apps', instance.name, 'expose', name, 'tls'], `${origin.host} has a certificate, and its origin is http`);
  }
  return findings;
}

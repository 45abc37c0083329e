import type { CcpError, FileFindings } from '#core';
import type { Site, SiteCertificate, SiteGateway } from '#definitions';
import type { Instance } from '../instances.ts';
import { generatedFor } from '../secret-requests.ts';
import { siteFindings } from '../validate/site-findings.ts';
import { checkAddresses } from './check-addresses.ts';
import { checkAnnotations } from './check-annotations.ts';
import { checkHosts } from './check-hosts.ts';
import { publicEndpoints } from './public-endpoints.ts';

/** Notes what cannot be: a message and a hint, at a path of the site's file. */
export type Refuse = FileFindings['refuse'];

const ONE_WAY = 'say "ingress" or "gateway"';

/** What a site says about its hosts and the ways to them that cannot be; `site-invalid` each, at its place. */
export function checkExpose(site: Site, instances: ReadonlyMap<string, Instance>): readonly CcpError[] {
  const found = siteFindings(site);
  const { refuse } = found;
  const { expose, tls } = site;
  const endpoints = publicEndpoints(site, instances);
  if (expose === undefined && tls !== undefined && (tls.ca === undefined || Object.keys(tls).length > 1))
    refuse(['tls'], 'the site says with what hosts are served, and not by what', 'say it under "expose"');
  if (expose !== undefined) {
    if (expose.ingress === undefined && expose.gateway === undefined) refuse(['expose'], '"expose" names no way in', ONE_WAY);
    if (expose.ingress !== undefined && expose.gateway !== undefined) refuse(['expose'], '"expose" names two ways in', ONE_WAY);
    if (expose.gateway !== undefined) checkGateway(expose.gateway, refuse);
    if (endpoints.length === 0) refuse(['expose'], 'no app of the site has a host that could be exposed', 'give one: apps.APP.hosts.ENDPOINT');
  }
  if (tls !== undefined) checkCertificate(tls, site, instances, ['tls'], refuse);
  checkAddresses(site, refuse);
  checkAnnotations(site, refuse);
  for (const instance of instances.values()) checkExposed(instance, site, instances, found);
  checkHosts(endpoints, site, refuse);
  return found.findings;
}

function checkGateway({ name, namespace, listeners, class: made, addresses, annotations }: SiteGateway, refuse: Refuse): void {
  const path = ['expose', 'gateway'];
  if ((name === undefined) === (made === undefined)) refuse(path, 'a Gateway is either there or made', 'say "name" or "class"');
  const ofOthers = { namespace, listeners };
  const ofOurs = { addresses, annotations };
  for (const [key, value] of Object.entries(name === undefined ? ofOthers : ofOurs)) {
    if (value !== undefined)
      refuse(
        [...path, key],
        name === undefined ? `"${key}" is of a Gateway that is there, not of one that is made` : `the Gateway "${name}" is kept by others, who say its ${key}`,
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
    refuse([...path, 'secret'], `the Secret "${secret}" is made for ${owner}, and a certificate would be written over it`, 'name another one');
  if (issuer !== undefined && secret === undefined) refuse([...path, 'issuer'], 'an issuer fills a Secret, and none is named', 'name it: secret: NAME');
  const gateway = expose?.gateway?.name;
  if (gateway !== undefined && (secret !== undefined || issuer !== undefined))
    refuse(path, `the Gateway "${gateway}" is kept by others, who give it its certificates`, 'take it away');
}

/** What the site says under `expose` of one app. */
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
    else if (settings.hosts?.[name] === undefined) refuse(path, `"${name}" has no host, so nothing leads there`, `give it one: apps.${instance}.hosts.${name}`);
    else if (site.expose === undefined) refuse(path, 'the site does not say how hosts are exposed', 'say it under "expose"');
    else {
      if (tls !== undefined) checkCertificate(tls, site, instances, [...path, 'tls'], refuse);
      if (tls !== undefined && settings.hosts[name]!.startsWith('http:')) refuse([...path, 'tls'], `"${name}" has a certificate, and its origin is http`);
      if (listener !== undefined && site.expose.gateway?.name === undefined)
        refuse([...path, 'listener'], 'only a Gateway that is there has listeners to choose from');
    }
  }
}

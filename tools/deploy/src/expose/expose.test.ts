import { describe, expect, it } from 'vitest';
import { CcpErrors, formatPosition, type CcpError } from '#core';
import { parseAppSpec, parseSite } from '#definitions';
import { layOutSite, type RenderedSite } from '../index.ts';
import { appText, siteInputs } from '../testing/site-input.ts';

const input = siteInputs({ parseAppSpec, parseSite });
const API = 'provides: { api: { kind: endpoint, type: web, workload: web, port: http } }\n';
const WEB = { web: appText('web', API) };
/** A site whose `apps` come last, as flow YAML; further top-level keys after a newline. */
const site = (apps: string, specs: Readonly<Record<string, string>> = WEB): RenderedSite => layOutSite(input(apps, specs));
const exposed = (rendered: RenderedSite) => rendered.steps.filter(({ phase }) => phase === 'expose').flatMap(({ objects }) => objects);
const HOST = '{ web: { hosts: { api: "https://web.example.org" } } }';

function findings(render: () => unknown): string[] {
  try {
    render();
  } catch (error) {
    const found = error instanceof CcpErrors ? error.findings : [error as CcpError];
    return found.map(({ message, at, hint }) => `${formatPosition(at!)} ${message}${hint === undefined ? '' : ` (${hint})`}`);
  }
  throw new Error('nothing was raised');
}

describe('an Ingress', () => {
  const spec = (apps: string, more: string) => exposed(site(`${apps}\n${more}`))[0]!;

  it('leads the host to the endpoint, once its workload runs', () => {
    const rendered = site(`${HOST}\nexpose: { ingress: {} }\ntls: { secret: certificate }`);
    expect(rendered.steps.find(({ phase }) => phase === 'expose')).toMatchObject({ id: 'web/expose/api', instance: 'web', waitsFor: ['web/workload/web'] });
    const [ingress] = exposed(rendered);
    expect(ingress!['spec']).toEqual({
      tls: [{ hosts: ['web.example.org'], secretName: 'certificate' }],
      rules: [{ host: 'web.example.org', http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { name: 'http' } } } }] } }],
    });
  });

  it.each([
    ['the certificate of its controller', HOST, 'expose: { ingress: {} }\ntls: {}', { tls: [{ hosts: ['web.example.org'] }] }],
    ['a certificate of its own', '{ web: { hosts: { api: "https://web.example.org" }, expose: { api: { tls: { secret: own } } } } }', 'expose: { ingress: { class: public } }\ntls: { secret: certificate }', { ingressClassName: 'public', tls: [{ hosts: ['web.example.org'], secretName: 'own' }] }],
  ])('has %s', (_, apps, more, expected) => {
    expect(spec(apps, more)['spec']).toMatchObject(expected);
  });

  it('has the annotations of the site, and those of its endpoint over them', () => {
    const apps = '{ web: { hosts: { api: "http://web.example.org" }, expose: { api: { annotations: { example.org/b: "2" } } } } }';
    expect(spec(apps, 'expose: { ingress: { annotations: { example.org/a: "1", example.org/b: "1" } } }').metadata.annotations).toEqual({ 'example.org/a': '1', 'example.org/b': '2' });
  });
});

describe('what is refused of hosts and the ways to them', () => {
  it.each([
    ['a host twice', '{ web: { hosts: { api: "https://a.example.org" } }, two: { app: web, hosts: { api: "http://a.example.org:8080" } } }\nexpose: { ingress: {} }\ntls: {}', ['site.yaml:9:30 the host of "two.api" is a.example.org too (give each endpoint a host of its own)']],
    ['an origin twice, whatever leads there', '{ web: { hosts: { api: "https://a.example.org" } }, two: { app: web, hosts: { api: "https://a.example.org:443" } } }', ['site.yaml:9:30 the host of "two.api" is https://a.example.org:443 too (give each endpoint a host of its own)']],
    ['an address', '{ web: { hosts: { api: "http://192.0.2.1" } } }\nexpose: { ingress: {} }', ['site.yaml:9:30 192.0.2.1 is an address, and hosts are told apart by name (give it a DNS name)']],
    ['a port that there is not', '{ web: { hosts: { api: "http://a.example.org:65536" } } }', ['site.yaml:9:30 there is no port 65536']],
    ['https without a certificate', `${HOST}\nexpose: { ingress: {} }`, ['site.yaml:9:30 web.example.org has no certificate (name its Secret: tls: { secret: NAME }; tls: {} is the certificate of the Ingress controller)']],
    ['a certificate that nothing uses', `${HOST}\ntls: { secret: certificate }`, ['site.yaml:10:1 the site says with what hosts are served, and not by what (say it under "expose")']],
    ['no host at all', '{ web: {} }\nexpose: { ingress: {} }', ['site.yaml:10:1 no app of the site has a host that could be exposed (give one: apps.APP.hosts.ENDPOINT)']],
    ['no way in', `${HOST}\nexpose: {}\ntls: {}`, ['site.yaml:10:1 "expose" names no way in (known: ingress)']],
    ['what is no endpoint', '{ web: { expose: { apo: { annotations: {} } } } }', ['site.yaml:9:26 "web" has no endpoint "apo" (did you mean "api"?)']],
    ['an endpoint without a host', '{ web: { expose: { api: { annotations: {} } } } }', ['site.yaml:9:26 "api" has no host, so nothing leads there (give it one: apps.web.hosts.api)']],
    ['an endpoint that nothing exposes', '{ web: { hosts: { api: "https://a.example.org" }, expose: { api: { annotations: {} } } } }', ['site.yaml:9:67 the site does not say how hosts are exposed (say it under "expose")']],
    ['a certificate for http', '{ web: { hosts: { api: "http://a.example.org" }, expose: { api: { tls: {} } } } }\nexpose: { ingress: {} }', ['site.yaml:9:73 a.example.org has a certificate, and its origin is http']],
    ['what is no DNS name', '{ web: { hosts: { api: "https://a..example.org" } } }', ['site.yaml:9:30 apps.web.hosts.api must be an origin like https://identity.example.org, not "https://a..example.org"']],
  ])('%s', (_, apps, expected) => {
    expect(findings(() => site(apps))).toEqual(expected);
  });
});

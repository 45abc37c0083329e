import { describe, expect, it } from 'vitest';
import { CcpErrors, formatPosition, type CcpError } from '#core';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { layOutSite, podsOf, type RenderedSite } from '../index.ts';
import { AUTHORITY } from '../testing/authority.ts';
import { appText, siteInputs } from '../testing/site-input.ts';

const input = siteInputs({ parseAppSpec, parseSite });
const API = 'provides: { api: { kind: endpoint, type: web, workload: web, port: http } }\n';
const CLOSED = { web: appText('web', API) };
const WEB = { web: CLOSED.web.replace('from: consumers', 'from: anyone') };
/** A site whose `apps` come last, as flow YAML; further top-level keys after a newline. */
const site = (apps: string, specs: Readonly<Record<string, string>> = WEB): RenderedSite => layOutSite(input(apps, specs));
const exposed = (rendered: RenderedSite) => rendered.steps.filter(({ phase }) => phase === 'expose').flatMap(({ objects }) => objects);
const HOST = '{ web: { hosts: { api: "https://web.example.org" } } }';

const GATEWAY = 'expose: { gateway: { name: public, namespace: gateways, listeners: { https: tls, http: plain } } }';
const TWO = '{ web: { hosts: { api: "https://web.example.org" } }, two: { app: web, hosts: { api: "http://two.example.org:8080" } } }';
const MADE = 'expose: { gateway: { class: shiny, addresses: [192.0.2.1], annotations: { example.org/balancer: small } } }\ntls: { secret: certificate }';

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

  it('tells controllers that would serve it by http too that it is https alone', () => {
    expect(spec(HOST, 'expose: { ingress: {} }\ntls: {}').metadata.annotations).toEqual({ 'nginx.ingress.kubernetes.io/force-ssl-redirect': 'true', 'traefik.ingress.kubernetes.io/router.tls': 'true' });
  });

  it('has the annotations of the site, and those of its endpoint over them', () => {
    const apps = '{ web: { hosts: { api: "http://web.example.org" }, expose: { api: { annotations: { example.org/b: "2" } } } } }';
    expect(spec(apps, 'expose: { ingress: { annotations: { example.org/a: "$${x}", example.org/b: "1" } } }').metadata.annotations).toEqual({ 'example.org/a': '${x}', 'example.org/b': '2' });
  });
});

describe('an endpoint that carries', () => {
  const carrying = (carries: string, more: string) => site(`${HOST}\n${more}`, { web: WEB.web.replace('type: web', `type: web, carries: ${carries}`) });

  it.each([
    ['uploads', { 'proxy-body-size': '0', 'proxy-request-buffering': 'off', 'proxy-read-timeout': '3600', 'proxy-send-timeout': '3600' }],
    ['websockets', { 'proxy-read-timeout': '3600', 'proxy-send-timeout': '3600' }],
  ])('%s has them let through by ingress-nginx', (carries, expected) => {
    const { 'nginx.ingress.kubernetes.io/force-ssl-redirect': _, 'traefik.ingress.kubernetes.io/router.tls': __, ...annotations } = exposed(carrying(carries, 'expose: { ingress: {} }\ntls: {}'))[0]!.metadata.annotations!;
    expect(annotations).toEqual(Object.fromEntries(Object.entries(expected).map(([key, value]) => [`nginx.ingress.kubernetes.io/${key}`, value])));
  });

  it.each(['uploads', 'websockets'])('%s has no limit of time at a Gateway', (carries) => {
    expect(exposed(carrying(carries, GATEWAY))[0]!['spec']).toMatchObject({ rules: [{ timeouts: { request: '0s' } }] });
  });

  it('websockets says so by its Service', () => {
    const ports = (carries: string) => carrying(carries, GATEWAY).foundation.find(({ kind }) => kind === 'Service')!['spec'];
    expect(ports('websockets')).toMatchObject({ ports: [{ name: 'http', appProtocol: 'kubernetes.io/ws' }] });
    expect(JSON.stringify(ports('uploads'))).not.toContain('appProtocol');
  });
});

describe('network policies', () => {
  const FROM = 'from: [{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: ingress } } }, { ipBlock: { cidr: 192.0.2.0/24 } }]';
  const rules = (specs: Readonly<Record<string, string>>) => {
    const policy = site(`${HOST}\nexpose: { ingress: {}, ${FROM} }\ntls: {}`, specs).foundation.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'web');
    return (policy!['spec'] as { ingress: object[] }).ingress;
  };

  it('let in who brings requests to a port that is for consumers', () => {
    expect(rules(CLOSED).at(-1)).toEqual({ from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } }, { ipBlock: { cidr: '192.0.2.0/24' } }], ports: [{ port: 'http', protocol: 'TCP' }] });
  });

  it('need nothing more where anyone may come', () => {
    expect(rules(WEB)).toEqual([{ ports: [{ port: 'http', protocol: 'TCP' }] }]);
  });
});

describe('authorities of a site', () => {
  const PEM = `${AUTHORITY}\n`;
  const client = { web: appText('web', '', 'ca: { path: /etc/ca.crt, env: OS_CACERT }') };
  const of = (more: string) => {
    const rendered = site(`{ web: {} }\n${more}`, client);
    const { pod } = podsOf(rendered.steps.flatMap(({ objects }) => objects)).find(({ object }) => object.metadata.name === 'web')!;
    return { pod, map: rendered.foundation.find(({ metadata }) => metadata.name.startsWith('test-ca-')) };
  };

  it('are a file of the containers that take them, and a variable names it', () => {
    const { pod, map } = of(`tls: { ca: ${JSON.stringify(PEM)} }`);
    expect(map).toMatchObject({ kind: 'ConfigMap', immutable: true, data: { 'ca.crt': PEM } });
    expect(pod.containers[0]).toMatchObject({ env: [{ name: 'OS_CACERT', value: '/etc/ca.crt' }], volumeMounts: [{ name: 'site-ca', mountPath: '/etc/ca.crt', subPath: 'ca.crt', readOnly: true }] });
    expect(pod.volumes).toEqual([{ name: 'site-ca', configMap: { name: map!.metadata.name, defaultMode: 0o444 } }]);
  });

  it('are nothing where the site has none', () => {
    const { pod, map } = of('');
    expect([map, pod.containers[0]!.env, pod.volumes]).toEqual([undefined, [], []]);
  });

  it('are no place for a key', () => {
    const key = PEM.replaceAll('CERTIFICATE', 'PRIVATE KEY');
    expect(findings(() => of(`tls: { ca: ${JSON.stringify(PEM + key)} }`))).toEqual([expect.stringMatching(/^site.yaml:10:\d+ tls.ca must be certificates in PEM and nothing else, not a private key$/)]);
  });
});

describe('a Gateway that is there', () => {
  const routes = (apps: string, more = GATEWAY) => exposed(site(`${apps}\n${more}`)).map(({ metadata, spec }) => [metadata.name, spec]);

  it('takes a route for each host at the listener for its scheme, and sends http to https', () => {
    const at = (sectionName: string) => [{ name: 'public', namespace: 'gateways', sectionName }];
    expect(routes(TWO)).toEqual([
      ['two-api', { parentRefs: at('plain'), hostnames: ['two.example.org'], rules: [{ backendRefs: [{ name: 'two', port: 80 }] }] }],
      ['web-api', { parentRefs: at('tls'), hostnames: ['web.example.org'], rules: [{ backendRefs: [{ name: 'web', port: 80 }] }] }],
      ['web-api-redirect', { parentRefs: at('plain'), hostnames: ['web.example.org'], rules: [{ filters: [{ type: 'RequestRedirect', requestRedirect: { scheme: 'https', statusCode: 301 } }] }] }],
    ]);
  });

  it('sends nothing anywhere where it has no listener for http, and takes a host at a listener of its own', () => {
    const own = '{ web: { hosts: { api: "https://web.example.org" }, expose: { api: { listener: web } } } }';
    expect(routes(own, 'expose: { gateway: { name: public } }')).toEqual([['web-api', expect.objectContaining({ parentRefs: [{ name: 'public', sectionName: 'web' }] })]]);
  });
});

describe('a Gateway that is made', () => {
  it('has a listener for each host, and one that sends http to https', () => {
    const rendered = site(`${TWO}\n${MADE}`);
    expect(rendered.steps.filter(({ phase }) => phase === 'expose').map(({ id, waitsFor }) => `${id} after ${waitsFor.join()}`)).toEqual(['gateway after ', 'two/expose/api after two/workload/web', 'web/expose/api after web/workload/web']);
    const [gateway, ...routes] = exposed(rendered);
    expect(gateway!.metadata).toMatchObject({ name: 'test', annotations: { 'example.org/balancer': 'small' } });
    expect(gateway!['spec']).toEqual({
      gatewayClassName: 'shiny',
      addresses: [{ type: 'IPAddress', value: '192.0.2.1' }],
      infrastructure: { annotations: { 'example.org/balancer': 'small' } },
      listeners: [
        { name: 'http', protocol: 'HTTP', port: 80 },
        { name: 'two-api', hostname: 'two.example.org', port: 8080, protocol: 'HTTP' },
        { name: 'web-api', hostname: 'web.example.org', port: 443, protocol: 'HTTPS', tls: { mode: 'Terminate', certificateRefs: [{ name: 'certificate' }] } },
      ],
    });
    expect(routes.map(({ metadata, spec }) => `${metadata.name} at ${(spec as { parentRefs: { name: string; sectionName: string }[] }).parentRefs.map(({ name, sectionName }) => `${name}.${sectionName}`).join()}`)).toEqual(['two-api at test.two-api', 'web-api at test.web-api', 'web-api-redirect at test.http']);
  });

  it('may have several ports of one host', () => {
    const ports = '{ web: { hosts: { api: "https://cloud.example.org:5000" } }, two: { app: web, hosts: { api: "https://cloud.example.org:8774" } } }';
    const [gateway] = exposed(site(`${ports}\n${MADE}`));
    expect((gateway!['spec'] as { listeners: { name: string; port: number }[] }).listeners.map(({ name, port }) => `${name} ${port}`)).toEqual(['two-api 8774', 'web-api 5000']);
  });
});

it('an issuer fills each Secret for the hosts that use it', () => {
  const issuer = 'issuer: { kind: ClusterIssuer, name: letters }';
  const apps = `{ web: { hosts: { api: "https://web.example.org" } }, two: { app: web, hosts: { api: "https://two.example.org" } }, three: { app: web, hosts: { api: "https://three.example.org" }, expose: { api: { tls: { secret: own } } } } }`;
  const [certificate, ...others] = exposed(site(`${apps}\nexpose: { ingress: {} }\ntls: { secret: certificate, ${issuer} }`));
  expect(certificate!['spec']).toEqual({ secretName: 'certificate', dnsNames: ['two.example.org', 'web.example.org'], issuerRef: { kind: 'ClusterIssuer', name: 'letters' } });
  expect(others.map(({ kind }) => kind)).toEqual(['Ingress', 'Ingress', 'Ingress']);
});

describe('what is refused of hosts and the ways to them', () => {
  it.each<[string, string, string[], Readonly<Record<string, string>>?]>([
    ['a host twice', '{ web: { hosts: { api: "https://a.example.org" } }, two: { app: web, hosts: { api: "http://a.example.org:8080" } } }\nexpose: { ingress: {} }\ntls: {}', ['site.yaml:9:30 the host of "two.api" is a.example.org too (give each endpoint a host of its own)']],
    ['an origin twice, whatever leads there', '{ web: { hosts: { api: "https://a.example.org" } }, two: { app: web, hosts: { api: "https://a.example.org:443" } } }', ['site.yaml:9:30 the host of "two.api" is https://a.example.org:443 too (give each endpoint a host of its own)']],
    ['an address', '{ web: { hosts: { api: "http://192.0.2.1" } } }\nexpose: { ingress: {} }', ['site.yaml:9:30 192.0.2.1 is an address, and hosts are told apart by name (give it a DNS name)']],
    ['a port that there is not', '{ web: { hosts: { api: "http://a.example.org:65536" } } }', ['site.yaml:9:30 there is no port 65536']],
    ['https without a certificate', `${HOST}\nexpose: { ingress: {} }`, ['site.yaml:9:30 web.example.org has no certificate (name its Secret: tls: { secret: NAME }; tls: {} is the certificate of the Ingress controller)']],
    ['a certificate that nothing uses', `${HOST}\ntls: { secret: certificate }`, ['site.yaml:10:1 the site says with what hosts are served, and not by what (say it under "expose")']],
    ['no host at all', '{ web: {} }\nexpose: { ingress: {} }', ['site.yaml:10:1 no app of the site has a host that could be exposed (give one: apps.APP.hosts.ENDPOINT)']],
    ['no way in', `${HOST}\nexpose: {}\ntls: {}`, ['site.yaml:10:1 "expose" names no way in (say "ingress" or "gateway")']],
    ['what is no endpoint', '{ web: { expose: { apo: { annotations: {} } } } }', ['site.yaml:9:26 "web" has no endpoint "apo" (did you mean "api"?)']],
    ['an endpoint without a host', '{ web: { expose: { api: { annotations: {} } } } }', ['site.yaml:9:26 "api" has no host, so nothing leads there (give it one: apps.web.hosts.api)']],
    ['an endpoint that nothing exposes', '{ web: { hosts: { api: "https://a.example.org" }, expose: { api: { annotations: {} } } } }', ['site.yaml:9:67 the site does not say how hosts are exposed (say it under "expose")']],
    ['a port that lets in consumers alone', `${HOST}\nexpose: { ingress: {} }\ntls: {}`, ['site.yaml:9:30 "api" lets in only those who require it (say who brings requests from outside: expose.from)'], CLOSED],
    ['two ways in', `${HOST}\nexpose: { ingress: {}, gateway: { class: shiny } }\ntls: { secret: certificate }`, ['site.yaml:10:1 "expose" names two ways in (say "ingress" or "gateway")']],
    ['a Gateway that is there and made', `${HOST}\nexpose: { gateway: { name: public, class: shiny, listeners: { https: tls } } }`, ['site.yaml:10:11 a Gateway is either there or made (say "name" or "class")']],
    ['a Gateway that is made with what one has that is there', `${HOST}\nexpose: { gateway: { class: shiny, namespace: other, listeners: { https: tls } } }\ntls: { secret: certificate }`, ['site.yaml:10:47 "namespace" is of a Gateway that is there, not of one that is made', 'site.yaml:10:54 "listeners" is of a Gateway that is there, not of one that is made']],
    ['addresses and certificates of a Gateway of others', `${HOST}\nexpose: { gateway: { name: public, addresses: [192.0.2.1], listeners: { https: tls } } }\ntls: { secret: certificate }`, ['site.yaml:10:36 the Gateway "public" is kept by others, who say its addresses', 'site.yaml:11:1 the Gateway "public" is kept by others, who give it its certificates (take it away)']],
    ['a scheme without a listener', `${HOST}\nexpose: { gateway: { name: public, listeners: { http: plain } } }`, ['site.yaml:9:30 no listener of the Gateway "public" is named for https (name it: expose.gateway.listeners.https)']],
    ['two hosts at one listener', `{ web: { hosts: { api: "https://a.example.org" } }, two: { app: web, hosts: { api: "https://a.example.org:8443" } } }\n${GATEWAY}`, ['site.yaml:9:30 the host of "two.api" is a.example.org at the listener "tls" too (give each endpoint a host of its own)']],
    ['a Gateway that is made without a certificate', `${HOST}\nexpose: { gateway: { class: shiny } }\ntls: {}`, ['site.yaml:9:30 web.example.org has no certificate (name its Secret: tls: { secret: NAME })']],
    ['two schemes at one port', `{ web: { hosts: { api: "https://a.example.org" } }, two: { app: web, hosts: { api: "http://b.example.org:443" } } }\n${MADE}`, ['site.yaml:9:30 port 443 of the Gateway speaks http (give it another port)']],
    ['a listener to choose where none is', '{ web: { hosts: { api: "http://a.example.org" }, expose: { api: { listener: tls } } } }\nexpose: { ingress: {} }', ['site.yaml:9:83 only a Gateway that is there has listeners to choose from']],
    ['an issuer without a Secret', `${HOST}\nexpose: { ingress: {} }\ntls: { issuer: { kind: Issuer, name: letters } }`, ['site.yaml:11:8 an issuer fills a Secret, and none is named (name it: secret: NAME)']],
    ['two issuers of one Secret', '{ web: { hosts: { api: "https://a.example.org" } }, two: { app: web, hosts: { api: "https://b.example.org" }, expose: { api: { tls: { secret: certificate } } } } }\nexpose: { ingress: {} }\ntls: { secret: certificate, issuer: { kind: Issuer, name: letters } }', ['site.yaml:11:1 the Secret "certificate" is filled by nobody for another host, and by Issuer "letters" for a.example.org (give them Secrets of their own)']],
    ['a certificate for http', '{ web: { hosts: { api: "http://a.example.org" }, expose: { api: { tls: {} } } } }\nexpose: { ingress: {} }', ['site.yaml:9:73 "api" has a certificate, and its origin is http']],
    ['a certificate over a Secret that is made for an app', '{ web: { hosts: { api: "https://a.example.org" }, expose: { api: { tls: { secret: web-keys-g2 } } } } }\nexpose: { ingress: {} }\ntls: { secret: web-keys, issuer: { kind: Issuer, name: letters } }', ['site.yaml:11:16 the Secret "web-keys" is made for web.keys, and a certificate would be written over it (name another one)', 'site.yaml:9:89 the Secret "web-keys-g2" is made for web.keys, and a certificate would be written over it (name another one)'], { web: `${WEB.web}secrets: { keys: { generate: fernet-keys } }\n` }],
    ['a reference in an annotation', `${HOST}\nexpose: { ingress: { annotations: { example.org/node: "on ${'${node.name}'}" } } }\ntls: {}`, ['site.yaml:10:55 the annotation "example.org/node" refers to ${node.name}, and annotations take no references (write the value out; $${ stands for a plain ${)']],
    ['blocks that there are not', `${HOST}\nexpose: { ingress: {}, from: [{ ipBlock: { cidr: 10.0.0.0/99 } }, { ipBlock: { cidr: 10.0.0/8 } }, { ipBlock: { cidr: "fd00::/64" } }] }\ntls: {}`, ['site.yaml:10:50 10.0.0.0/99 is no block of addresses (the number after the slash is at most 32)', 'site.yaml:10:86 10.0.0/8 is no block of addresses (write one such as 192.0.2.0/24)']],
    ['a name longer than DNS has', `{ web: { hosts: { api: "http://${'abcdefg.'.repeat(31)}abcdef" } } }`, ['site.yaml:9:30 the host name has 254 characters, and a DNS name at most 253']],
    ['what is no DNS name', '{ web: { hosts: { api: "https://a..example.org" } } }', ['site.yaml:9:30 apps.web.hosts.api must be an origin like https://identity.example.org, not "https://a..example.org"']],
  ])('%s', (_, apps, expected, specs) => {
    expect(findings(() => site(apps, specs ?? WEB))).toEqual(expected);
  });
});

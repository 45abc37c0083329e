import { describe, expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { CLOSED, exposeSites, findings, GATEWAY, HOST, MADE, WEB } from '../testing/expose-site.ts';

const site = exposeSites({ parseAppSpec, parseSite });

describe('a refused host, Ingress or Gateway setting', () => {
  it.each<[string, string, string[], Readonly<Record<string, string>>?]>([
    [
      'a host twice',
      '{ web: { hosts: { api: "https://a.example.org" } }, two: { app: web, hosts: { api: "http://a.example.org:8080" } } }\nexpose: { ingress: {} }\ntls: {}',
      [
        'site.yaml:9:30 the host of "two.api" is a.example.org too (give each endpoint its own host)',
      ],
    ],
    [
      'an origin twice, by any path',
      '{ web: { hosts: { api: "https://a.example.org" } }, two: { app: web, hosts: { api: "https://a.example.org:443" } } }',
      [
        'site.yaml:9:30 the host of "two.api" is https://a.example.org:443 too (give each endpoint its own host)',
      ],
    ],
    [
      'an address',
      '{ web: { hosts: { api: "http://192.0.2.1" } } }\nexpose: { ingress: {} }',
      [
        'site.yaml:9:30 192.0.2.1 is an IP address; hosts are distinguished by name (use a DNS name)',
      ],
    ],
    [
      'a port that there is not',
      '{ web: { hosts: { api: "http://a.example.org:65536" } } }',
      ['site.yaml:9:30 port 65536 is out of range'],
    ],
    [
      'https without a certificate',
      `${HOST}\nexpose: { ingress: {} }`,
      [
        'site.yaml:9:30 web.example.org has no certificate (set its Secret: tls: { secret: NAME }; tls: {} selects the default certificate of the Ingress controller)',
      ],
    ],
    [
      'a certificate that nothing uses',
      `${HOST}\ntls: { secret: certificate }`,
      ['site.yaml:10:1 "tls" is set, but "expose" is missing (set "expose")'],
    ],
    [
      'no host at all',
      '{ web: {} }\nexpose: { ingress: {} }',
      ['site.yaml:10:1 no endpoint of the site has a host (set one: apps.APP.hosts.ENDPOINT)'],
    ],
    [
      'no way in',
      `${HOST}\nexpose: {}\ntls: {}`,
      [
        'site.yaml:10:1 "expose" sets neither an Ingress nor a Gateway (set "ingress" or "gateway")',
      ],
    ],
    [
      'an unknown endpoint',
      '{ web: { expose: { apo: { annotations: {} } } } }',
      ['site.yaml:9:26 "web" has no endpoint "apo" (did you mean "api"?)'],
    ],
    [
      'an endpoint without a host',
      '{ web: { expose: { api: { annotations: {} } } } }',
      ['site.yaml:9:26 "api" has no host, so it is not exposed (set apps.web.hosts.api)'],
    ],
    [
      'an endpoint that nothing exposes',
      '{ web: { hosts: { api: "https://a.example.org" }, expose: { api: { annotations: {} } } } }',
      ['site.yaml:9:67 the site does not set "expose" (set "expose")'],
    ],
    [
      'a port that lets in consumers alone',
      `${HOST}\nexpose: { ingress: {} }\ntls: {}`,
      [
        'site.yaml:9:30 "api" accepts requests only from apps that require it (set the source of outside requests: expose.from)',
      ],
      CLOSED,
    ],
    [
      'two ways in',
      `${HOST}\nexpose: { ingress: {}, gateway: { class: shiny } }\ntls: { secret: certificate }`,
      ['site.yaml:10:1 "expose" sets both an Ingress and a Gateway (set "ingress" or "gateway")'],
    ],
    [
      'a Gateway that is there and made',
      `${HOST}\nexpose: { gateway: { name: public, class: shiny, listeners: { https: tls } } }`,
      [
        'site.yaml:10:11 a Gateway is either an existing Gateway or created for the site (set "name" for an existing Gateway, or "class" to create one)',
      ],
    ],
    [
      'a Gateway that is made with what one has that is there',
      `${HOST}\nexpose: { gateway: { class: shiny, namespace: other, listeners: { https: tls } } }\ntls: { secret: certificate }`,
      [
        'site.yaml:10:47 "namespace" applies to an existing Gateway only; this one is created for the site',
        'site.yaml:10:54 "listeners" applies to an existing Gateway only; this one is created for the site',
      ],
    ],
    [
      'addresses and certificates of a Gateway of others',
      `${HOST}\nexpose: { gateway: { name: public, addresses: [192.0.2.1], listeners: { https: tls } } }\ntls: { secret: certificate }`,
      [
        'site.yaml:10:36 the Gateway "public" exists already; its owner sets its addresses',
        'site.yaml:11:1 the Gateway "public" exists already; its owner sets its certificates (remove this key)',
      ],
    ],
    [
      'a scheme without a listener',
      `${HOST}\nexpose: { gateway: { name: public, listeners: { http: plain } } }`,
      [
        'site.yaml:9:30 no listener for https is set for the Gateway "public" (set expose.gateway.listeners.https)',
      ],
    ],
    [
      'two hosts at one listener',
      `{ web: { hosts: { api: "https://a.example.org" } }, two: { app: web, hosts: { api: "https://a.example.org:8443" } } }\n${GATEWAY}`,
      [
        'site.yaml:9:30 the host of "two.api" is a.example.org at the listener "tls" too (give each endpoint its own host)',
      ],
    ],
    [
      'a Gateway that is made without a certificate',
      `${HOST}\nexpose: { gateway: { class: shiny } }\ntls: {}`,
      ['site.yaml:9:30 web.example.org has no certificate (set its Secret: tls: { secret: NAME })'],
    ],
    [
      'two schemes at one port',
      `{ web: { hosts: { api: "https://a.example.org" } }, two: { app: web, hosts: { api: "http://b.example.org:443" } } }\n${MADE}`,
      ['site.yaml:9:30 port 443 of the Gateway is used for http (use another port)'],
    ],
    [
      'a listener to choose where none is',
      '{ web: { hosts: { api: "http://a.example.org" }, expose: { api: { listener: tls } } } }\nexpose: { ingress: {} }',
      ['site.yaml:9:83 "listener" applies to an existing Gateway only'],
    ],
    [
      'an issuer without a Secret',
      `${HOST}\nexpose: { ingress: {} }\ntls: { issuer: { kind: Issuer, name: letters } }`,
      ['site.yaml:11:8 "issuer" needs a Secret to write the certificate to (set secret: NAME)'],
    ],
    [
      'two issuers of one Secret',
      '{ web: { hosts: { api: "https://a.example.org" } }, two: { app: web, hosts: { api: "https://b.example.org" }, expose: { api: { tls: { secret: certificate } } } } }\nexpose: { ingress: {} }\ntls: { secret: certificate, issuer: { kind: Issuer, name: letters } }',
      [
        'site.yaml:11:1 the Secret "certificate" is used with different issuers: none for another host, Issuer "letters" for a.example.org (use a separate Secret for each issuer)',
      ],
    ],
    [
      'a certificate for http',
      '{ web: { hosts: { api: "http://a.example.org" }, expose: { api: { tls: {} } } } }\nexpose: { ingress: {} }',
      ['site.yaml:9:73 "api" has a certificate, but its host is served by http'],
    ],
    [
      'a certificate over a Secret that is made for an app',
      '{ web: { hosts: { api: "https://a.example.org" }, expose: { api: { tls: { secret: web-keys-g2 } } } } }\nexpose: { ingress: {} }\ntls: { secret: web-keys, issuer: { kind: Issuer, name: letters } }',
      [
        'site.yaml:11:16 the Secret "web-keys" is generated for web.keys; a certificate would overwrite it (use another name)',
        'site.yaml:9:89 the Secret "web-keys-g2" is generated for web.keys; a certificate would overwrite it (use another name)',
      ],
      { web: `${WEB.web}secrets: { keys: { generate: fernet-keys } }\n` },
    ],
    [
      'a reference in an annotation',
      `${HOST}\nexpose: { ingress: { annotations: { example.org/node: "on ${'${node.name}'}" } } }\ntls: {}`,
      [
        'site.yaml:10:55 the annotation "example.org/node" refers to ${node.name}; references are not allowed in annotations (write the value itself; $${ is an escaped ${)',
      ],
    ],
    [
      'blocks that there are not',
      `${HOST}\nexpose: { ingress: {}, from: [{ ipBlock: { cidr: 10.0.0.0/99 } }, { ipBlock: { cidr: 10.0.0/8 } }, { ipBlock: { cidr: "fd00::/64" } }] }\ntls: {}`,
      [
        'site.yaml:10:50 10.0.0.0/99 is not a CIDR block (the prefix length is at most 32)',
        'site.yaml:10:86 10.0.0/8 is not a CIDR block (use a form such as 192.0.2.0/24)',
      ],
    ],
    [
      'a name longer than DNS has',
      `{ web: { hosts: { api: "http://${'abcdefg.'.repeat(31)}abcdef" } } }`,
      ['site.yaml:9:30 the host name has 254 characters; a DNS name has at most 253'],
    ],
    [
      'an invalid DNS name',
      '{ web: { hosts: { api: "https://a..example.org" } } }',
      [
        'site.yaml:9:30 apps.web.hosts.api must be an origin like https://identity.example.org, not "https://a..example.org"',
      ],
    ],
  ])('%s', (_, apps, expected, specs) => {
    expect(findings(() => site(apps, specs ?? WEB))).toEqual(expected);
  });
});

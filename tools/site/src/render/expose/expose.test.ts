import { describe, expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { podsOf, type RenderedSite } from '../../index.ts';
import { AUTHORITY } from '../../testing/authority.ts';
import { CLOSED, exposeSites, findings, GATEWAY, HOST, WEB } from '../../testing/expose-site.ts';
import { appText } from '../../testing/site-input.ts';

const site = exposeSites({ parseAppSpec, parseSite });

const exposed = (rendered: RenderedSite) =>
  rendered.steps.filter(({ phase }) => phase === 'expose').flatMap(({ objects }) => objects);

describe('an Ingress', () => {
  const spec = (apps: string, more: string) => exposed(site(`${apps}\n${more}`))[0]!;

  it('routes the host to the endpoint after its workload runs', () => {
    const rendered = site(`${HOST}\nexpose: { ingress: {} }\ntls: { secret: certificate }`);
    expect(rendered.steps.find(({ phase }) => phase === 'expose')).toMatchObject({
      id: 'web/expose/api',
      instance: 'web',
      waitsFor: ['web/workload/web'],
    });
    const [ingress] = exposed(rendered);
    expect(ingress!['spec']).toEqual({
      tls: [{ hosts: ['web.example.org'], secretName: 'certificate' }],
      rules: [
        {
          host: 'web.example.org',
          http: {
            paths: [
              {
                path: '/',
                pathType: 'Prefix',
                backend: { service: { name: 'web', port: { name: 'http' } } },
              },
            ],
          },
        },
      ],
    });
  });

  it.each([
    [
      'the certificate of its controller',
      HOST,
      'expose: { ingress: {} }\ntls: {}',
      { tls: [{ hosts: ['web.example.org'] }] },
    ],
    [
      'a certificate of its own',
      '{ web: { hosts: { api: "https://web.example.org" }, expose: { api: { tls: { secret: own } } } } }',
      'expose: { ingress: { class: public } }\ntls: { secret: certificate }',
      { ingressClassName: 'public', tls: [{ hosts: ['web.example.org'], secretName: 'own' }] },
    ],
  ])('has %s', (_, apps, more, expected) => {
    expect(spec(apps, more)['spec']).toMatchObject(expected);
  });

  it('makes controllers that also serve http use https only', () => {
    expect(spec(HOST, 'expose: { ingress: {} }\ntls: {}').metadata.annotations).toEqual({
      'nginx.ingress.kubernetes.io/force-ssl-redirect': 'true',
      'traefik.ingress.kubernetes.io/router.tls': 'true',
    });
  });

  it('has the annotations of the site; annotations of its endpoint override them', () => {
    const apps =
      '{ web: { hosts: { api: "http://web.example.org" }, expose: { api: { annotations: { example.org/b: "2" } } } } }';
    expect(
      spec(
        apps,
        'expose: { ingress: { annotations: { example.org/a: "$${x}", example.org/b: "1" } } }',
      ).metadata.annotations,
    ).toEqual({
      'example.org/a': '${x}',
      'example.org/b': '2',
    });
  });
});

describe('an endpoint that carries', () => {
  const carrying = (carries: string, more: string) =>
    site(`${HOST}\n${more}`, {
      web: WEB.web.replace('type: web', `type: web, carries: ${carries}`),
    });

  it.each([
    [
      'uploads',
      {
        'proxy-body-size': '0',
        'proxy-request-buffering': 'off',
        'proxy-read-timeout': '3600',
        'proxy-send-timeout': '3600',
      },
    ],
    ['websockets', { 'proxy-read-timeout': '3600', 'proxy-send-timeout': '3600' }],
  ])('%s is allowed by annotations for ingress-nginx', (carries, expected) => {
    const {
      'nginx.ingress.kubernetes.io/force-ssl-redirect': _,
      'traefik.ingress.kubernetes.io/router.tls': __,
      ...annotations
    } = exposed(carrying(carries, 'expose: { ingress: {} }\ntls: {}'))[0]!.metadata.annotations!;
    expect(annotations).toEqual(
      Object.fromEntries(
        Object.entries(expected).map(([key, value]) => [
          `nginx.ingress.kubernetes.io/${key}`,
          value,
        ]),
      ),
    );
  });

  it.each(['uploads', 'websockets'])('has no time limit at a Gateway for %s', (carries) => {
    expect(exposed(carrying(carries, GATEWAY))[0]!['spec']).toMatchObject({
      rules: [{ timeouts: { request: '0s' } }],
    });
  });

  it('websockets sets the protocol of its Service port', () => {
    const ports = (carries: string) =>
      carrying(carries, GATEWAY).foundation.find(({ kind }) => kind === 'Service')!['spec'];
    expect(ports('websockets')).toMatchObject({
      ports: [{ name: 'http', appProtocol: 'kubernetes.io/ws' }],
    });
    expect(JSON.stringify(ports('uploads'))).not.toContain('appProtocol');
  });
});

describe('network policies', () => {
  const FROM =
    'from: [{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: ingress } } }, { ipBlock: { cidr: 192.0.2.0/24 } }]';
  const rules = (specs: Readonly<Record<string, string>>) => {
    const policy = site(
      `${HOST}\nexpose: { ingress: {}, ${FROM} }\ntls: {}`,
      specs,
    ).foundation.find(({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'web');
    return (policy!['spec'] as { ingress: object[] }).ingress;
  };

  it('allows requests from the ingress controller to a port for consumers', () => {
    expect(rules(CLOSED).at(-1)).toEqual({
      from: [
        { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } },
        { ipBlock: { cidr: '192.0.2.0/24' } },
      ],
      ports: [{ port: 'http', protocol: 'TCP' }],
    });
  });

  it('needs no rule if every source is allowed', () => {
    expect(rules(WEB)).toEqual([{ ports: [{ port: 'http', protocol: 'TCP' }] }]);
  });
});

describe('authorities of a site', () => {
  const PEM = `${AUTHORITY}\n`;
  const client = { web: appText('web', '', 'ca: { path: /etc/ca.crt, env: OS_CACERT }') };
  const of = (more: string) => {
    const rendered = site(`{ web: {} }\n${more}`, client);
    const { pod } = podsOf(rendered.steps.flatMap(({ objects }) => objects)).find(
      ({ object }) => object.metadata.name === 'web',
    )!;
    return {
      pod,
      map: rendered.foundation.find(({ metadata }) => metadata.name.startsWith('test-ca-')),
    };
  };

  it('writes authorities to a file in the containers that use them, named by a variable', () => {
    const { pod, map } = of(`tls: { ca: ${JSON.stringify(PEM)} }`);
    expect(map).toMatchObject({ kind: 'ConfigMap', immutable: true, data: { 'ca.crt': PEM } });
    expect(pod.containers[0]).toMatchObject({
      env: [{ name: 'OS_CACERT', value: '/etc/ca.crt' }],
      volumeMounts: [
        { name: 'site-ca', mountPath: '/etc/ca.crt', subPath: 'ca.crt', readOnly: true },
      ],
    });
    expect(pod.volumes).toEqual([
      { name: 'site-ca', configMap: { name: map!.metadata.name, defaultMode: 0o444 } },
    ]);
  });

  it('adds nothing if the site has no authorities', () => {
    const { pod, map } = of('');
    expect([map, pod.containers[0]!.env, pod.volumes]).toEqual([undefined, [], []]);
  });

  it('refuses a private key', () => {
    const key = PEM.replaceAll('CERTIFICATE', 'PRIVATE KEY');
    expect(findings(() => of(`tls: { ca: ${JSON.stringify(PEM + key)} }`))).toEqual([
      expect.stringMatching(
        /^site.yaml:10:\d+ tls.ca must be PEM certificates and nothing else, not a private key$/,
      ),
    ]);
  });
});

it('requests a certificate for each Secret, with the hosts that use it', () => {
  const issuer = 'issuer: { kind: ClusterIssuer, name: letters }';
  const apps = `{ web: { hosts: { api: "https://web.example.org" } }, two: { app: web, hosts: { api: "https://two.example.org" } }, three: { app: web, hosts: { api: "https://three.example.org" }, expose: { api: { tls: { secret: own } } } } }`;
  const [certificate, ...others] = exposed(
    site(`${apps}\nexpose: { ingress: {} }\ntls: { secret: certificate, ${issuer} }`),
  );
  expect(certificate!['spec']).toEqual({
    secretName: 'certificate',
    dnsNames: ['two.example.org', 'web.example.org'],
    issuerRef: { kind: 'ClusterIssuer', name: 'letters' },
  });
  expect(others.map(({ kind }) => kind)).toEqual(['Ingress', 'Ingress', 'Ingress']);
});

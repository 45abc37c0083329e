import { describe, expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { type RenderedSite } from '../../index.ts';
import { exposeSites, GATEWAY, MADE, TWO } from '../../testing/expose-site.ts';

const site = exposeSites({ parseAppSpec, parseSite });

const exposed = (rendered: RenderedSite) =>
  rendered.steps.filter(({ phase }) => phase === 'expose').flatMap(({ objects }) => objects);

describe('an existing Gateway', () => {
  const routes = (apps: string, more = GATEWAY) =>
    exposed(site(`${apps}\n${more}`)).map(({ metadata, spec }) => [metadata.name, spec]);

  it('gets a route for each host at the listener for its scheme, and redirects http to https', () => {
    const at = (sectionName: string) => [{ name: 'public', namespace: 'gateways', sectionName }];
    expect(routes(TWO)).toEqual([
      [
        'two-api',
        {
          parentRefs: at('plain'),
          hostnames: ['two.example.org'],
          rules: [{ backendRefs: [{ name: 'two', port: 80 }] }],
        },
      ],
      [
        'web-api',
        {
          parentRefs: at('tls'),
          hostnames: ['web.example.org'],
          rules: [{ backendRefs: [{ name: 'web', port: 80 }] }],
        },
      ],
      [
        'web-api-redirect',
        {
          parentRefs: at('plain'),
          hostnames: ['web.example.org'],
          rules: [
            {
              filters: [
                { type: 'RequestRedirect', requestRedirect: { scheme: 'https', statusCode: 301 } },
              ],
            },
          ],
        },
      ],
    ]);
  });

  it('redirects nothing without an http listener, and uses the listener of the endpoint', () => {
    const own =
      '{ web: { hosts: { api: "https://web.example.org" }, expose: { api: { listener: web } } } }';
    expect(routes(own, 'expose: { gateway: { name: public } }')).toEqual([
      [
        'web-api',
        expect.objectContaining({ parentRefs: [{ name: 'public', sectionName: 'web' }] }),
      ],
    ]);
  });
});

describe('a Gateway that ccp creates', () => {
  it('has a listener for each host, and one that redirects http to https', () => {
    const rendered = site(`${TWO}\n${MADE}`);
    expect(
      rendered.steps
        .filter(({ phase }) => phase === 'expose')
        .map(({ id, waitsFor }) => `${id} after ${waitsFor.join()}`),
    ).toEqual([
      'gateway after ',
      'two/expose/api after two/workload/web',
      'web/expose/api after web/workload/web',
    ]);
    const [gateway, ...routes] = exposed(rendered);
    expect(gateway!.metadata).toMatchObject({
      name: 'test',
      annotations: { 'example.org/balancer': 'small' },
    });
    expect(gateway!['spec']).toEqual({
      gatewayClassName: 'shiny',
      addresses: [{ type: 'IPAddress', value: '192.0.2.1' }],
      infrastructure: { annotations: { 'example.org/balancer': 'small' } },
      listeners: [
        { name: 'http', protocol: 'HTTP', port: 80 },
        { name: 'two-api', hostname: 'two.example.org', port: 8080, protocol: 'HTTP' },
        {
          name: 'web-api',
          hostname: 'web.example.org',
          port: 443,
          protocol: 'HTTPS',
          tls: { mode: 'Terminate', certificateRefs: [{ name: 'certificate' }] },
        },
      ],
    });
    expect(
      routes.map(
        ({ metadata, spec }) =>
          `${metadata.name} at ${(spec as { parentRefs: { name: string; sectionName: string }[] }).parentRefs.map(({ name, sectionName }) => `${name}.${sectionName}`).join()}`,
      ),
    ).toEqual([
      'two-api at test.two-api',
      'web-api at test.web-api',
      'web-api-redirect at test.http',
    ]);
  });

  it('may have several ports of one host', () => {
    const ports =
      '{ web: { hosts: { api: "https://cloud.example.org:5000" } }, two: { app: web, hosts: { api: "https://cloud.example.org:8774" } } }';
    const [gateway] = exposed(site(`${ports}\n${MADE}`));
    expect(
      (gateway!['spec'] as { listeners: { name: string; port: number }[] }).listeners.map(
        ({ name, port }) => `${name} ${port}`,
      ),
    ).toEqual(['two-api 8774', 'web-api 5000']);
  });
});

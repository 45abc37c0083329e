import { expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { checkedObjects } from '../testing/render-checked.ts';
import { appText, siteInputs } from '../testing/site-input.ts';

const WATCHER = appText(
  'watcher',
  'config: { scrape.yaml: { format: yaml, layers: [{ content: { names: { each: site.metrics, value: "${item}" }, probes: { each: site.endpoints, value: "${item}/" }, hosts: { each: site.https-hosts, value: "${item}" } } }] } }\n',
  'files: { scrape.yaml: /etc/scrape.yaml }',
);
const provides = (name: string, kind: string): string =>
  `provides: { ${kind === 'metrics' ? 'metrics: { kind: metrics' : 'api: { kind: endpoint, type: t, path: /v3'}, workload: ${name}, port: http } }\n`;
const daemon = appText('node', provides('node', 'metrics'))
  .replace('kind: Deployment', 'kind: DaemonSet')
  .replace('    replicas: { default: 1, rule: any }\n    spread: preferred\n', '');

it('lists all metrics and endpoints of the site in a file, per pod if pods differ', () => {
  const specs = {
    watcher: WATCHER,
    node: daemon,
    count: appText('count', provides('count', 'metrics')),
    api: appText('api', provides('api', 'endpoint')),
  };
  const objects = checkedObjects(
    siteInputs({ parseAppSpec, parseSite })(
      '{ watcher: {}, node: {}, count: {}, api: { hosts: { api: "https://api.example.org" } }, own: { app: api, hosts: { api: "https://api.example.org:8443" } }, plain: { app: api, hosts: { api: "http://plain.example.org" } } }',
      specs,
    ),
  );
  const file = objects.find(
    ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('watcher'),
  )!['data'] as Readonly<Record<string, string>>;
  expect(file['scrape.yaml']).toBe(`names:
  - _http._tcp.count.cloud.svc.cluster.local
  - _http._tcp.node-peers.cloud.svc.cluster.local
probes:
  - http://api.cloud.svc.cluster.local:80/
  - http://own.cloud.svc.cluster.local:80/
  - http://plain.cloud.svc.cluster.local:80/
hosts:
  - api.example.org:443
  - api.example.org:8443
`);
  expect(
    objects
      .filter(({ kind, metadata }) => kind === 'Service' && metadata.name.endsWith('-peers'))
      .map(({ metadata }) => metadata.name),
  ).toEqual(['node-peers']);
});

import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { digestOf } from '#core';
import { bind, boundOrThrow } from '../../bind/bind.ts';
import { appText, siteInputs } from '../../testing/site-input.ts';
import { chartFiles } from './chart-files.ts';
import { chartVersion } from './chart-version.ts';

const WEB = `settings:
  threads: { description: "Threads of each pod.", default: 4, minimum: 1 }
config:
  web.conf: { format: ini, layers: [{ content: { DEFAULT: { threads: "\${settings.threads}" } } }] }
`;
const apps = siteInputs({ parseAppSpec, parseSite });

function files(site: string): ReadonlyMap<string, string> {
  const input = apps(site, {
    web: appText('web', WEB, 'files: { web.conf: /etc/web.conf }'),
    shop: appText('shop'),
    gate: appText('gate'),
  });
  const bound = boundOrThrow(bind(input));
  return new Map(chartFiles(bound, input, '2026.1.3').map(({ path, text }) => [path, text]));
}

it('writes a chart of the site with a chart for each instance', () => {
  const all = files('{ web: {}, shop: {} }');
  expect(parse(all.get('Chart.yaml')!)).toEqual({
    apiVersion: 'v2',
    name: 'test',
    description: 'The site test',
    type: 'application',
    version: '2026.1.3',
    appVersion: '2026.1',
    kubeVersion: '>=1.31.0-0',
    dependencies: ['shop', 'web'].map((name) => ({ name, version: '2026.1.3' })),
  });
  expect([...all.keys()]).toEqual(
    expect.arrayContaining([
      'charts/web/Chart.yaml',
      'charts/web/templates/deployment-web.yaml',
      'charts/web/templates/networkpolicy-ccp-test-egress-web.yaml',
      'templates/job-ccp-test-secrets.yaml',
      'templates/NOTES.txt',
    ]),
  );
  expect([...all.keys()].filter((path) => path.includes('templates/namespace-cloud'))).toEqual([]);
  expect(files('{ web: {}, shop: {} }')).toEqual(all);
});

it('has values for what only replaces text, with comments and a schema', () => {
  const all = files('{ web: { settings: { threads: 6 } } }');
  expect(all.get('charts/web/values.yaml')).toBe(`global:
  images:
    # Registry and path of the images below.
    registry: registry.test/ccp
    # Digests of the image set.
    digests:
      web: ${digestOf('web')}
    # Whole references that replace those by digest: NAME: registry.example.org/NAME:TAG.
    tags: {}
replicas:
  # Pods of the workload "web".
  web: 1
settings:
  # Threads of each pod.
  threads: 6
`);
  const schema = JSON.parse(all.get('charts/web/values.schema.json')!) as {
    readonly properties: Record<string, { readonly properties: object }>;
  };
  expect(schema.properties['settings']!.properties).toEqual({
    threads: { description: 'Threads of each pod.', type: 'integer', minimum: 1 },
  });
});

it('computes the names of objects that a value changes, and of no others', () => {
  const all = files('{ web: {}, shop: {} }');
  const config = all.get('charts/web/templates/configmap-web-web-conf.yaml')!;
  expect(config).toContain('threads = {{ index .Values "settings" "threads" | int64 }}');
  expect(config).toContain('name: {{ include "ccp.name/ConfigMap/cloud/web-web-conf" . }}');
  expect(all.get('charts/web/templates/deployment-web.yaml')).toContain(
    'name: {{ include "ccp.name/ConfigMap/cloud/web-web-conf" . }}',
  );
  expect(all.get('templates/job-ccp-test-secrets.yaml')).toMatch(
    /configMap:\n +name: ccp-test-secrets-[0-9a-f]{10}\n/,
  );
});

describe('a text of a site or of an app spec', () => {
  const SPEC = `settings:
  name: { description: "A {{ name }}\\nweb: evil", default: abc }
config:
  web.conf:
    format: ini
    layers: [{ content: { DEFAULT: { name: "\${settings.name}", brace: "{\${settings.name}}" } } }]
`;
  const written = (spec: string, container = ''): ReadonlyMap<string, string> => {
    const input = apps('{ web: {} }', {
      web: appText('web', spec, container),
      gate: appText('gate'),
    });
    const all = chartFiles(boundOrThrow(bind(input)), input, '2026.1.3');
    return new Map(all.map(({ path, text }) => [path, text]));
  };
  const FILES = 'files: { web.conf: /etc/web.conf }';

  it('adds no value, no brace and no end of a quote to templates', () => {
    const all = written(
      SPEC,
      `env: { URL: "x-\${settings.name}", LIT: "{{ fail }}" }\n        ${FILES}`,
    );
    expect(all.get('charts/web/values.yaml')).toContain(
      '  # A {{ name }}\\nweb: evil\n  name: abc\n',
    );
    expect(all.get('charts/web/templates/configmap-web-web-conf.yaml')).toContain(
      '  brace = {{ "{" }}{{ index .Values "settings" "name" }}}\n',
    );
    const pod = all.get('charts/web/templates/deployment-web.yaml')!;
    expect(pod).toContain('value: |-\n              x-{{ index .Values "settings" "name" }}\n');
    expect(pod).toContain('{{ "{{" }} fail {{ "}}" }}');
  });

  it.each(['a\nb', '[x]\n[y]', ' a', 'a ', 'a\tb', '\u0007', '\u2028', '\u0085', '$(HOME)'])(
    'cannot have a value that ccp would refuse or escape: %j',
    (value) => {
      const schema = JSON.parse(written(SPEC, FILES).get('charts/web/values.schema.json')!);
      const { pattern, not } = schema.properties.settings.properties.name;
      const isValid = (text: string): boolean =>
        new RegExp(pattern, 'u').test(text) && !new RegExp(not.pattern, 'u').test(text);
      expect([isValid('a: "b" #c'), isValid(''), isValid(value)]).toEqual([true, true, false]);
    },
  );

  it('has no value of the chart if it is in a YAML file, which Helm would not quote', () => {
    const yaml = SPEC.replace('format: ini', 'format: yaml');
    expect(written(yaml, FILES).get('charts/web/values.yaml')).not.toContain('settings');
  });

  it('is refused if it looks like a token', () => {
    expect(() => written(SPEC, `env: { X: "CCPVx41X" }\n        ${FILES}`)).toThrow(
      'Deployment web cannot be in a chart: it contains CCPVx41X, which has a meaning in charts',
    );
  });
});

it('orders versions by series and number', () => {
  expect(chartVersion('2026.1', 12)).toBe('2026.1.12');
  expect(chartVersion('master', 3)).toBe('0.0.3-master');
});

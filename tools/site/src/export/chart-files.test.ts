import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { tinySite } from '../testing/tiny-site.ts';
import { chartFiles } from './chart-files.ts';

it('writes every object but the namespace and the ApplySet, and keeps braces and YAML 1.1 texts', () => {
  const site = tinySite();
  const data = { 'x.conf': 'template {{ .Values.x }}', flag: 'on', mode: '012' };
  const map = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'braces', namespace: 'cloud' },
    data,
  };
  const files = chartFiles(
    { ...site, foundation: [...site.foundation, map] },
    { name: 'tiny', namespace: 'cloud', series: '2026.1' },
  );
  const { version, ...chart } = parse(files[0]!.text) as Record<string, string>;
  expect(chart).toEqual({
    apiVersion: 'v2',
    name: 'tiny',
    description: 'tiny for the namespace cloud, rendered by ccp',
    type: 'application',
    appVersion: '2026.1',
  });
  expect(version).toMatch(/^0\.1\.0\+[0-9a-f]{16}$/);
  const paths = files.map(({ path }) => path.replace(/-[0-9a-f]{10}\.yaml$/, '-#.yaml'));
  expect(paths).toEqual(
    expect.arrayContaining([
      'templates/wave-0/job-ccp-tiny-secrets-#.yaml',
      'templates/wave-1/statefulset-base.yaml',
      'templates/foundation/service-web.yaml',
    ]),
  );
  expect(
    paths.some((path) => path.includes('namespace-') || path.includes('configmap-ccp-tiny.yaml')),
  ).toBe(false);
  expect(files.find(({ path }) => path.endsWith('braces.yaml'))!.text).toBe(
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: braces\n  namespace: cloud\ndata:\n  x.conf: template {{ "{{" }} .Values.x {{ "}}" }}\n  flag: "on"\n  mode: "012"\n',
  );
});

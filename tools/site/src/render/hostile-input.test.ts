import { describe, expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { podsOf } from '../index.ts';
import { checkedObjects, renderChecked } from '../testing/render-checked.ts';
import { appText, siteInputs } from '../testing/site-input.ts';
import { withValues } from './parameters.ts';

const inputs = siteInputs({ parseAppSpec, parseSite });
const SPEC = appText(
  'web',
  'secrets: { admin: { generate: password } }\nsettings: { name: { description: a name, default: x } }\nconfig: { web.yaml: { format: yaml, layers: [{ content: { name: "${settings.name}" } }] } }\n',
  'env: { NAME: "${settings.name}" }, files: { web.yaml: /etc/web.yaml }'.replace(
    ', files',
    '\n        files',
  ),
);
const HOSTILE = [
  '${secrets.admin.password}',
  '$(CCP_POD_NAME)',
  '{{ lookup }}',
  '`id`; $(id)',
  'x: [\ny',
];

describe('values of a site', () => {
  it.each(HOSTILE)('treats a value as text and never evaluates it: %j', (value) => {
    const objects = checkedObjects(
      inputs(`{ web: { settings: { name: ${JSON.stringify(value)} } } }`, { web: SPEC }),
    );
    const { pod } = podsOf(objects).find(({ object }) => object.metadata.name === 'web')!;
    // Kubernetes gives `$$(` back as `$(`.
    expect((pod.containers[0]!.env as readonly { value: string }[])[0]!.value).toBe(
      value.replaceAll('$(', () => '$$('),
    );
    const file = objects.find(({ metadata }) => metadata.name.startsWith('web-web-yaml'))![
      'data'
    ] as Record<string, string>;
    expect(file['web.yaml']).not.toContain('\ny\n');
    expect(JSON.stringify(objects)).not.toMatch(/secretKeyRef[^}]*web-admin/);
  });
});

it('refuses the namespaces of Kubernetes itself', () => {
  const { site, ...rest } = inputs('{ web: {} }', { web: SPEC });
  expect(() => checkedObjects({ site: { ...site, namespace: 'kube-system' }, ...rest })).toThrow(
    'the namespace "kube-system" is reserved for Kubernetes',
  );
});

describe('values of an action', () => {
  it('passes values as variables without expansion', () => {
    const action =
      'actions: { go: { description: goes, role: control-plane, command: [go, "${parameters.to}"], parameters: { to: { description: where, type: text } }, resources: {} } }\n';
    const [found] = renderChecked(inputs('{ web: {} }', { web: appText('web', action) })).actions;
    const { template } = withValues(found!.job, found!.parameters, { to: '$(PATH) "; rm -rf /' })[
      'spec'
    ] as {
      template: { spec: { containers: { command: string[]; env: object[] }[] } };
    };
    expect(template.spec.containers[0]).toMatchObject({
      command: ['go', '$(CCP_PARAMETER_TO)'],
      env: [{ name: 'CCP_PARAMETER_TO', value: '$$(PATH) "; rm -rf /' }],
    });
  });
});

describe('app specs', () => {
  it.each([
    [
      'a name that reaches out of its folder',
      'files: { ../web.conf: /etc/x }',
      'the key "../web.conf" in workloads.web.containers.main.files must be a file name of letters, digits, dots, dashes and underscores',
    ],
    [
      'a path that does',
      'mounts: { data: /data/../etc }',
      'workloads.web.containers.main.mounts.data must be an absolute path without "..", spaces or a trailing slash, not "/data/../etc"',
    ],
    ['prototypes', 'env: { __proto__: x }', 'the key "__proto__" is not allowed'],
  ])('refuse %s', (_, container, message) => {
    expect(() => parseAppSpec(appText('web', '', container), 'app.yaml', 'web')).toThrow(message);
  });
});

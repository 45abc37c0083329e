import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#ports';
import { decideConflicts, withoutLeft, type ConflictRule } from '../live/conflicts.ts';
import { parseFieldPath, withoutField } from '../live/field-path.ts';
import { fieldChanges } from './field-changes.ts';
import { lineChanges } from './line-changes.ts';
import { changeText } from './plan-text.ts';

const OBJECT: KubernetesObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', labels: { 'app.kubernetes.io/name': 'web', tier: 'a' } },
  spec: {
    replicas: 2,
    template: {
      spec: {
        containers: [
          {
            name: 'web',
            image: 'a',
            env: [{ name: 'A', value: '1' }],
            ports: [{ containerPort: 80, protocol: 'TCP' }],
          },
        ],
      },
    },
    finalizers: ['x', 'y'],
    constraints: [{ skew: 1, key: 'host' }],
    claims: [{ metadata: { name: 'data' }, spec: { class: 'a' } }],
  },
};

describe('fieldChanges', () => {
  it.each<[string, (spec: Record<string, any>) => void, string[]]>([
    ['a member', (spec) => (spec['replicas'] = 3), ['spec.replicas: 2 -> 3']],
    [
      'a member of a named item',
      (spec) => (spec['template'].spec.containers[0].image = 'b'),
      ['spec.template.spec.containers[web].image: "a" -> "b"'],
    ],
    [
      'an item that is added',
      (spec) => spec['template'].spec.containers[0].env.push({ name: 'B', value: '2' }),
      ['spec.template.spec.containers[web].env[B]: undefined -> {"name":"B","value":"2"}'],
    ],
    [
      'named items in another order',
      (spec) => spec['template'].spec.containers[0].env.reverse(),
      [],
    ],
    [
      'a list of maps whose keys stand in another order',
      (spec) => (spec['constraints'] = [{ key: 'host', skew: 1 }]),
      [],
    ],
    [
      'a member of an item by its number',
      (spec) => (spec['constraints'][0].skew = 2),
      ['spec.constraints[0].skew: 1 -> 2'],
    ],
    [
      'an item that has its name in its metadata',
      (spec) => (spec['claims'][0].spec.class = 'b'),
      ['spec.claims[data].spec.class: "a" -> "b"'],
    ],
    [
      'a plain list as a whole',
      (spec) => spec['finalizers'].pop(),
      ['spec.finalizers: ["x","y"] -> ["x"]'],
    ],
    [
      'a repeated name as a whole',
      (spec) => spec['template'].spec.containers[0].env.push({ name: 'A', value: '2' }),
      [
        'spec.template.spec.containers[web].env: [{"name":"A","value":"1"}] -> [{"name":"A","value":"1"},{"name":"A","value":"2"}]',
      ],
    ],
  ])('reports %s', (_, change, expected) => {
    const after = structuredClone(OBJECT) as KubernetesObject & { spec: Record<string, any> };
    change(after.spec);
    expect(
      fieldChanges(OBJECT, after).map(
        ({ path, before, after: now }) =>
          `${path}: ${JSON.stringify(before)} -> ${JSON.stringify(now)}`,
      ),
    ).toEqual(expected);
  });

  it("leaves out status and the server's own metadata", () => {
    expect(
      fieldChanges(OBJECT, {
        ...OBJECT,
        status: { ready: 1 },
        metadata: {
          ...OBJECT.metadata,
          uid: 'x',
          resourceVersion: '7',
          generation: 2,
          managedFields: [],
        },
      }),
    ).toEqual([]);
  });
});

describe('a field as the API server spells it', () => {
  it.each([
    ['.spec.replicas', 'spec.replicas'],
    [
      '.spec.template.spec.containers[name="web"].image',
      'spec.template.spec.containers[web].image',
    ],
    ['.metadata.labels.app.kubernetes.io/name', 'metadata.labels["app.kubernetes.io/name"]'],
    ['.spec.finalizers[="x"]', 'spec.finalizers'],
    [
      '.spec.template.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"]',
      'spec.template.spec.containers[web].ports',
    ],
  ])('%s is taken out', (field, path) => {
    expect(fieldChanges(OBJECT, withoutField(OBJECT, field)).map((change) => change.path)).toEqual([
      path,
    ]);
  });

  it('ignores a missing field and refuses an invalid path', () => {
    expect(withoutField(OBJECT, '.spec.nothing.here')).toEqual(OBJECT);
    expect(() => parseFieldPath('.spec[nonsense]')).toThrow(
      '".spec[nonsense]" is not a field path: [nonsense] does not select a list item',
    );
  });
});

describe('decideConflicts', () => {
  const replicas = { manager: 'kubectl', field: '.spec.replicas' };
  const image = { manager: 'other', field: '.spec.template.spec.containers[name="web"].image' };
  it.each<[string, readonly ConflictRule[], boolean, string[]]>([
    ['fails without a rule', [], false, ['fail', 'fail']],
    ['leaves replicas to an autoscaler', [], true, ['leave', 'fail']],
    [
      'takes what a rule names, an autoscaler or not',
      [{ field: 'spec.replicas', policy: 'take' }],
      true,
      ['take', 'fail'],
    ],
    [
      'follows the last rule',
      [
        { field: '*', policy: 'leave' },
        { object: 'Deployment/web', field: 'spec.replicas', policy: 'take' },
      ],
      false,
      ['take', 'leave'],
    ],
    [
      'minds the object',
      [{ object: 'Deployment/api', field: '*', policy: 'take' }],
      false,
      ['fail', 'fail'],
    ],
  ])('%s', (_, rules, autoscaled, expected) => {
    expect(
      decideConflicts('Deployment/web', [replicas, image], rules, autoscaled).map(
        ({ policy }) => policy,
      ),
    ).toEqual(expected);
  });

  it('does not apply a field that is left to its manager', () => {
    const left = withoutLeft(OBJECT, [
      { ...replicas, policy: 'leave' },
      { ...image, policy: 'take' },
    ]);
    expect(left['spec']).not.toHaveProperty('replicas');
    expect(left).toMatchObject({ spec: { template: { spec: { containers: [{ image: 'a' }] } } } });
  });
});

it.each([
  ['[a]\nx = 1\n[b]\nx = 1\n', '[a]\nx = 1\n[b]\nx = 2\n', ['- [b] x = 1', '+ [b] x = 2']],
  ['one\ntwo\n', 'two\none\n', ['only the order of its lines changes']],
  [
    '',
    Array.from({ length: 9 }, (_, index) => `line ${index}`).join('\n'),
    ['+ line 0', '+ line 1', '+ line 2', '+ line 3', '+ line 4', '+ line 5', 'and 3 more lines'],
  ],
  ['same', 'same', []],
])('compares files line by line: case %#', (before, after, expected) => {
  expect(lineChanges(before, after)).toEqual(expected);
});

it.each<[string, string, string]>([
  ['red', 'blue', 'red -> blue'],
  [
    `${'a'.repeat(60)}, one`,
    `${'a'.repeat(60)}, one, two`,
    `...${'a'.repeat(15)}, one -> ...${'a'.repeat(15)}, one, two`,
  ],
  [`x${'a'.repeat(70)}`, 'y', `x${'a'.repeat(59)}... -> y`],
  [
    `registry.test/path/web@sha256:${'a'.repeat(64)}`,
    `registry.test/path/web@sha256:${'b'.repeat(64)}`,
    `registry.test/path/web@${'a'.repeat(12)} -> registry.test/path/web@${'b'.repeat(12)}`,
  ],
])('values that differ: %#', (before, after, text) => {
  expect(changeText({ path: 'spec.value', before, after })).toBe(`spec.value: ${text}`);
});

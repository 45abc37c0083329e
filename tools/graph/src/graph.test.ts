import { describe, expect, it } from 'vitest';
import { CcpErrors, formatPosition, imageName, series, type CcpError } from '#core';
import {
  buildGraph,
  renderDot,
  renderMermaid,
  renderTree,
  selectImages,
  type ImageGraph,
} from './index.ts';
import { workspaceOf } from './testing.ts';

const LAYERS = [
  'debian-base:',
  'openstack-builder: base=debian-base',
  'openstack-base: base=debian-base builder=openstack-builder',
  'keystone: base=openstack-base builder=openstack-builder',
  'horizon: base=openstack-base builder=openstack-builder series=2026.1',
  'memcached: base=debian-base',
];

function graphOf(rows: readonly string[], name = '2026.1', images?: readonly string[]): ImageGraph {
  return buildGraph(workspaceOf(rows, images), series(name));
}

function errorsOf(run: () => unknown): string {
  try {
    run();
  } catch (thrown) {
    const findings = thrown instanceof CcpErrors ? thrown.findings : [thrown as CcpError];
    return findings
      .map(
        ({ at, code, message, hint }) =>
          `${at === undefined ? '' : `${formatPosition(at)}: `}${code}: ${message}\n  ${hint}`,
      )
      .join('\n');
  }
  return 'nothing thrown';
}

describe('buildGraph', () => {
  it('orders parents first for any order of definitions', () => {
    const order = [
      'debian-base',
      'openstack-builder',
      'openstack-base',
      'horizon',
      'keystone',
      'memcached',
    ];
    expect(graphOf(LAYERS).order).toEqual(order);
    expect(graphOf(LAYERS.toReversed()).order).toEqual(order);
  });

  it('leaves out images of other series', () => {
    expect(graphOf(LAYERS, '2025.2').order).not.toContain('horizon');
  });

  it('lists parents, children, ancestors and descendants without duplicates', () => {
    const graph = graphOf(LAYERS);
    expect(graph.parents(imageName('keystone'))).toEqual(['openstack-builder', 'openstack-base']);
    expect(graph.children(imageName('debian-base'))).toEqual([
      'openstack-builder',
      'openstack-base',
      'memcached',
    ]);
    expect(graph.ancestors(imageName('keystone'))).toEqual([
      'debian-base',
      'openstack-builder',
      'openstack-base',
    ]);
    expect(graph.descendants(imageName('openstack-builder'))).toEqual([
      'openstack-base',
      'horizon',
      'keystone',
    ]);
    expect(graph.edges.filter((edge) => edge.from === 'keystone')).toEqual([
      { from: 'keystone', to: 'openstack-base', role: 'base' },
      { from: 'keystone', to: 'openstack-builder', role: 'builder' },
    ]);
  });

  it('names every edge of every cycle', () => {
    const rows = [
      'c: base=a',
      'a: base=b',
      'b: other=x base=c',
      'x:',
      'self: base=self',
      'p: base=q builder=q',
      'q: base=p',
    ];
    expect(errorsOf(() => graphOf(rows)))
      .toBe(`images/a/image.yaml:4:3: graph-cycle: images depend on each other in a cycle: a -> b -> c -> a
  a needs b as base (images/a/image.yaml:4:3)
  b needs c as base (images/b/image.yaml:5:3)
  c needs a as base (images/c/image.yaml:4:3)
  remove one of these parents
images/p/image.yaml:4:3: graph-cycle: images depend on each other in a cycle: p -> q -> p
  p needs q as base (images/p/image.yaml:4:3)
  q needs p as base (images/q/image.yaml:4:3)
  remove one of these parents
images/self/image.yaml:4:3: graph-cycle: images depend on each other in a cycle: self -> self
  self needs self as base (images/self/image.yaml:4:3)
  remove one of these parents`);
  });

  it('leaves out images without a ref for the series, and their descendants', () => {
    const rows = [
      'base:',
      'api: base=base refs=2026.1',
      'api-tool: base=api',
      'cache: base=base',
      'web: base=base refs=2026.1+2025.2',
    ];
    const graph = graphOf(rows, '2025.2');
    expect(graph.order).toEqual(['base', 'cache', 'web']);
    expect(
      [...graph.absent].map(([name, { reason, hint }]) => `${name}: ${reason} [${hint}]`),
    ).toEqual([
      'api: its source own has no ref for it [add "sources: { own: { refs: { "2025.2": TAG } } }" to images/api/image.yaml]',
      'api-tool: its base api is not in it: its source own has no ref for it [add "sources: { own: { refs: { "2025.2": TAG } } }" to images/api/image.yaml]',
    ]);
  });

  it('contains the images that the series lists, and their ancestors', () => {
    const graph = graphOf([...LAYERS, 'own: base=debian-base refs=2025.2'], '2026.1', [
      'keystone',
      'memcached',
    ]);
    expect(graph.order).toEqual([
      'debian-base',
      'openstack-builder',
      'openstack-base',
      'keystone',
      'memcached',
    ]);
    expect(graph.absent.get(imageName('horizon'))).toEqual({
      reason: 'the series does not list it',
      hint: 'add it to the images of series 2026.1 (images/series.yaml:9:1)',
    });
  });

  it('reports together all images that are assigned to the series but cannot be in it', () => {
    const rows = [
      'base: series=2025.2',
      'nova: base=base series=2026.1',
      'api: base=base refs=2026.1',
      'two: refs=2025.2',
      'quiet: base=base',
    ];
    expect(errorsOf(() => graphOf(rows, '2026.1', ['two', 'nova', 'api'])))
      .toBe(`images/series.yaml:9:1: source-no-ref: image two cannot be in series 2026.1: its source own has no ref for it
  add "sources: { own: { refs: { "2026.1": TAG } } }" to images/two/image.yaml, or remove two from the series
images/series.yaml:9:3: parent-missing: image api cannot be in series 2026.1: its base base is not in it: its definition is limited to 2025.2
  add "2026.1" to series in images/base/image.yaml, or remove api from the series
images/series.yaml:9:2: parent-missing: image nova cannot be in series 2026.1: its base base is not in it: its definition is limited to 2025.2
  add "2026.1" to series in images/base/image.yaml, or remove nova from the series`);
    expect(errorsOf(() => graphOf(rows)))
      .toBe(`images/api/image.yaml:2:3: parent-missing: image api cannot be in series 2026.1: its base base is not in it: its definition is limited to 2025.2
  add "2026.1" to series in images/base/image.yaml, or remove api from the series
images/nova/image.yaml:1:1: parent-missing: image nova cannot be in series 2026.1: its base base is not in it: its definition is limited to 2025.2
  add "2026.1" to series in images/base/image.yaml, or remove nova from the series`);
  });

  it('reports all missing parents together', () => {
    const rows = ['nova: builder=openstack-bilder', 'openstack-builder:', 'x: base=gone'];
    expect(errorsOf(() => graphOf(rows)))
      .toBe(`images/nova/image.yaml:4:3: parent-missing: image nova has the unknown builder "openstack-bilder"
  did you mean "openstack-builder"?
images/x/image.yaml:4:3: parent-missing: image x has the unknown base "gone"
  add images/gone/image.yaml`);
  });

  it('refuses two images with one name', () => {
    expect(errorsOf(() => graphOf(['a:', 'a:']))).toBe(
      'images/a/image.yaml:1:1: image-duplicate: two images are named a: /workspace/images/a and /workspace/images/a\n  rename one of the folders',
    );
  });

  it('handles a chain of 20,000 images, and 3,000 images with 3 parents each', () => {
    const chain = graphOf(
      Array.from({ length: 20_000 }, (_, index) =>
        index === 0 ? 'i0:' : `i${index}: base=i${index - 1}`,
      ),
    );
    expect(chain.order.at(-1)).toBe('i19999');
    expect(chain.descendants(imageName('i0'))).toHaveLength(19_999);
    const parents = (index: number) =>
      index < 3 ? '' : `a=i${index - 1} b=i${index >> 1} c=i${index % 3}`;
    const wide = graphOf(
      Array.from({ length: 3_000 }, (_, index) => `i${index}: ${parents(index)}`),
    );
    const rank = new Map(wide.order.map((name, index) => [name, index]));
    expect(wide.edges).toHaveLength(8_991);
    expect(wide.edges.filter(({ from, to }) => rank.get(from)! <= rank.get(to)!)).toEqual([]);
  });
});

describe('selectImages', () => {
  it.each([
    [
      [],
      {},
      ['debian-base', 'openstack-builder', 'openstack-base', 'horizon', 'keystone', 'memcached'],
    ],
    [['memcached'], {}, ['debian-base', 'memcached']],
    [
      ['keystone', 'keystone'],
      {},
      ['debian-base', 'openstack-builder', 'openstack-base', 'keystone'],
    ],
    [
      ['openstack-base'],
      { dependents: true },
      ['debian-base', 'openstack-builder', 'openstack-base', 'horizon', 'keystone'],
    ],
  ])('selects %j with %j', (names, options, expected) => {
    expect(selectImages(graphOf(LAYERS), names, options)).toEqual(expected);
  });

  it('refuses names that are not in the series', () => {
    expect(
      errorsOf(() => selectImages(graphOf(LAYERS, '2025.2'), ['keystoen', 'horizon', 'memcached'])),
    ).toBe(
      `image-unknown: series 2025.2 has no image "keystoen"
  did you mean keystone?
image-unknown: series 2025.2 has no image "horizon": its definition is limited to 2026.1
  add "2025.2" to series in images/horizon/image.yaml`,
    );
  });
});

describe('renderTree', () => {
  it('shows each image below its base, and with its role below other parents', () => {
    expect(renderTree(graphOf([...LAYERS, 'tool: builder=openstack-builder']))).toBe(`debian-base
├─ openstack-builder
│  ├─ openstack-base (builder)
│  ├─ horizon (builder)
│  ├─ keystone (builder)
│  └─ tool (builder)
├─ openstack-base
│  ├─ horizon
│  └─ keystone
└─ memcached
`);
  });

  it('is empty for a graph without images', () => {
    expect(renderTree(graphOf([]))).toBe('');
  });
});

describe('renderDot', () => {
  it('draws an arrow from each parent, dashed with the role unless it is the base', () => {
    expect(renderDot(graphOf(LAYERS.slice(0, 4)))).toBe(`digraph "2026.1" {
  rankdir=LR;
  node [shape=box];
  "debian-base";
  "openstack-builder";
  "openstack-base";
  "keystone";
  "debian-base" -> "openstack-builder";
  "debian-base" -> "openstack-base";
  "openstack-builder" -> "openstack-base" [style=dashed label="builder"];
  "openstack-base" -> "keystone";
  "openstack-builder" -> "keystone" [style=dashed label="builder"];
}
`);
  });
});

describe('renderMermaid', () => {
  it('draws the same arrows between numbered nodes', () => {
    expect(renderMermaid(graphOf(LAYERS.slice(0, 3)))).toBe(`flowchart LR
  n0["debian-base"]
  n1["openstack-builder"]
  n2["openstack-base"]
  n0 --> n1
  n0 --> n2
  n1 -. builder .-> n2
`);
  });

  it('has no lines for a graph without images', () => {
    expect(renderMermaid(graphOf([]))).toBe('flowchart LR\n');
  });
});

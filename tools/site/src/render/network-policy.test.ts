import { describe, expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { bind, boundOrThrow, instancesOfUnnamedNodes, type SiteInput } from '../index.ts';
import { checkedObjects } from '../testing/render-checked.ts';
import { appText, siteInputs } from '../testing/site-input.ts';

const NEEDS_STORE = 'requires: { store: { kind: endpoint, type: store } }\n';
const STORE = appText(
  'store',
  'provides: { store: { kind: endpoint, type: store, workload: store, port: http } }\n',
);
const SPECS = {
  gatherer: appText('gatherer', 'watches: true\n'),
  reader: appText('reader', NEEDS_STORE),
  other: appText('other'),
};

/** Who may connect to a port of `store`: the instances and others of each rule. */
function admitted(from: string, site = ''): unknown[] {
  const objects = checkedObjects(
    siteInputs({ parseAppSpec, parseSite })(
      `{ store: {}, gatherer: {}, reader: {}, other: {} }\n${site}`,
      {
        ...SPECS,
        store: STORE.replace('from: consumers', `from: ${from}`),
      },
    ),
  );
  const { ingress } = objects.find(
    ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'store',
  )!['spec'] as {
    ingress: {
      from?: { podSelector?: { matchExpressions: { values: unknown[] }[] } }[];
      ports: { port: string }[];
    }[];
  };
  expect(ingress.map(({ ports }) => ports.map(({ port }) => port))).toEqual(
    ingress.map(() => ['http']),
  );
  return ingress.map(
    ({ from: peers }) =>
      peers?.flatMap(
        (peer): unknown[] => peer.podSelector?.matchExpressions[0]!.values ?? [peer],
      ) ?? 'anyone',
  );
}

describe('a port', () => {
  it.each<[string, unknown[]]>([
    ['peers', [['store']]],
    ['consumers', [['reader', 'store']]],
    ['watchers', [['gatherer', 'store']]],
    [
      '[consumers, watchers]',
      [
        ['reader', 'store'],
        ['gatherer', 'store'],
      ],
    ],
    ['anyone', ['anyone']],
  ])('allows these peers from %s', (from, expected) => {
    expect(admitted(from)).toEqual(expected);
  });

  it('adds the `watchers` of the site to the rule for watchers only', () => {
    const people = {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'people' } },
    };
    expect(admitted('[consumers, watchers]', `watchers: [${JSON.stringify(people)}]`)).toEqual([
      ['reader', 'store'],
      ['gatherer', 'store', people],
    ]);
  });
});

describe('consumers that use the network of their node', () => {
  const onNodes = (text: string): string =>
    text.replace('grace: 30', 'grace: 30\n    host: { network: x }');
  const input = siteInputs({ parseAppSpec, parseSite })('{ store: {}, reader: {}, other: {} }', {
    store: STORE,
    other: onNodes(SPECS.other),
    reader: onNodes(SPECS.reader),
  });
  const named = (block: string): SiteInput => ({
    ...input,
    site: { ...input.site, cluster: { ...input.site.cluster, nodes: [block] } },
  });
  const nodes = (block: string): object => {
    const { ingress } = checkedObjects(named(block)).find(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'store',
    )!['spec'] as {
      ingress: { from: object[] }[];
    };
    return ingress[0]!.from;
  };

  it('allows consumers by the addresses of nodes', () => {
    expect(nodes('192.0.2.0/24')).toEqual([
      {
        podSelector: {
          matchExpressions: [expect.objectContaining({ values: ['store'] })],
        },
      },
      {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'cloud-node' } },
        podSelector: {
          matchExpressions: [expect.objectContaining({ values: ['reader'] })],
        },
      },
      { ipBlock: { cidr: '192.0.2.0/24' } },
    ]);
  });

  it('warns of consumers if the site lists no nodes, unless the app needs no other app', () => {
    expect(instancesOfUnnamedNodes(boundOrThrow(bind(input)))).toEqual(['reader']);
    expect(instancesOfUnnamedNodes(boundOrThrow(bind(named('192.0.2.0/24'))))).toEqual([]);
  });

  it('refuses addresses that cannot exist, for consumers and watchers', () => {
    expect(() => nodes('192.0.2.0/33')).toThrow('192.0.2.0/33 is not a CIDR block');
    expect(() => admitted('watchers', 'watchers: [{ ipBlock: { cidr: 192.0.2.300/24 } }]')).toThrow(
      '192.0.2.300/24 is not a CIDR block',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { findingLines } from '../testing/findings.ts';
import { checkedObjects } from '../testing/render-checked.ts';
import { appText, siteInputs } from '../testing/site-input.ts';

const provides = (name: string, type: string, more = ''): string =>
  `provides: { ${name}: { kind: endpoint, type: ${type}, workload: ${name}, port: http${more} } }\n`;
const SPECS = {
  identity: appText('identity', provides('identity', 'identity')),
  image: appText('image', provides('image', 'image')),
  store: appText('store', provides('store', 'store', ', catalogue: false')),
  reader: appText('reader', 'requires: { store: { kind: endpoint, type: store } }\n'),
  shell: appText('shell', 'requires: { identity: { kind: endpoint, type: identity } }\n'),
  watcher: appText('watcher', 'watches: true\n'),
  mailer: appText('mailer', 'outside: receivers of alerts\n'),
};
const onNodes = (text: string): string =>
  text.replace('grace: 30', 'grace: 30\n    host: { network: x }');

interface Rule {
  readonly to?: readonly {
    readonly podSelector?: {
      readonly matchExpressions?: readonly { values: readonly string[] }[];
      readonly matchLabels?: object;
    };
    readonly ipBlock?: { readonly cidr: string };
  }[];
  readonly ports?: readonly { readonly port: number; readonly protocol: string }[];
}

/** The destinations of an app, a line each: instances or addresses, and ports. */
function egressOf(
  app: string,
  apps: string,
  {
    specs = SPECS,
    site = '',
  }: { readonly specs?: Record<string, string>; readonly site?: string } = {},
): string[] {
  const input = siteInputs({ parseAppSpec, parseSite })(`${apps}\n${site}`, specs);
  const policy = checkedObjects(input).find(({ metadata }) =>
    metadata.name.endsWith(`-egress-${app}`),
  )!;
  const { podSelector, policyTypes, egress } = policy['spec'] as {
    readonly podSelector: object;
    readonly policyTypes: readonly string[];
    readonly egress: readonly Rule[];
  };
  expect(podSelector).toEqual({ matchLabels: { 'app.kubernetes.io/instance': app } });
  expect(policyTypes).toEqual(['Egress']);
  return egress.map(({ to, ports }) => {
    const targets = to?.flatMap(
      ({ podSelector, ipBlock }) =>
        podSelector?.matchExpressions?.[0]!.values ??
        (ipBlock === undefined ? Object.values(podSelector!.matchLabels!) : [ipBlock.cidr]),
    );
    const at = ports?.map(({ port, protocol }) => `${port}/${protocol}`).join(' ');
    return `${targets?.join(' ') ?? 'anywhere'}${at === undefined ? '' : ` at ${at}`}`;
  });
}

const DNS = 'anywhere at 53/UDP 53/TCP';

describe('the pods of an app', () => {
  it('allows connections to name servers, to pods of the app and to its requirements', () => {
    const apps = '{ store: {}, reader: {}, image: {} }';
    expect(egressOf('reader', apps)).toEqual([DNS, 'reader', 'store at 80/TCP']);
    expect(egressOf('store', apps)).toEqual([DNS, 'store']);
  });

  it('allows connections to every endpoint of the catalogue if the app logs in at identity', () => {
    expect(egressOf('shell', '{ shell: {}, identity: {}, image: {}, store: {} }')).toEqual([
      DNS,
      'shell',
      'identity at 80/TCP',
      'image at 80/TCP',
    ]);
  });

  it('allows connections to all apps if the app watches the site', () => {
    expect(egressOf('watcher', '{ watcher: {}, store: {} }')).toEqual([
      DNS,
      'watcher',
      'store watcher',
    ]);
  });

  it("allows connections to the metrics of the site's operator only if the app watches", () => {
    const of = { site: 'operator: { namespace: keeper }' };
    expect(egressOf('watcher', '{ watcher: {}, store: {} }', of)).toEqual([
      DNS,
      'watcher',
      'store watcher',
      'ccp-operator at 9464/TCP',
    ]);
    expect(egressOf('store', '{ watcher: {}, store: {} }', of)).toEqual([DNS, 'store']);
  });

  it('allows all connections if only the configuration names the destinations', () => {
    expect(egressOf('mailer', '{ mailer: {} }')).toEqual([DNS, 'mailer', 'anywhere']);
  });

  it('allows connections to destinations that the site adds', () => {
    const egress = '[{ to: [{ ipBlock: { cidr: 192.0.2.7/32 } }], ports: [636] }, { ports: [25] }]';
    expect(egressOf('store', `{ store: { egress: ${egress} } }`)).toEqual([
      DNS,
      'store',
      '192.0.2.7/32 at 636/TCP',
      'anywhere at 25/TCP',
    ]);
  });

  it.each([
    ['', '0.0.0.0/0 ::/0'],
    ['nodes: [192.0.2.0/24], ', '192.0.2.0/24'],
  ])('connect to nodes if the destination uses the network of its node (%j)', (nodes, expected) => {
    const specs = { ...SPECS, store: onNodes(SPECS.store) };
    const input = siteInputs({ parseAppSpec, parseSite })('{ store: {}, reader: {} }', specs);
    const cluster =
      nodes === '' ? input.site.cluster : { ...input.site.cluster, nodes: ['192.0.2.0/24'] };
    const policy = checkedObjects({ ...input, site: { ...input.site, cluster } }).find(
      ({ metadata }) => metadata.name.endsWith('-egress-reader'),
    )!;
    const { egress } = policy['spec'] as { readonly egress: readonly Rule[] };
    expect(
      egress
        .at(-1)!
        .to!.map(({ ipBlock }) => ipBlock!.cidr)
        .join(' '),
    ).toBe(expected);
  });
});

it('refuses a block of addresses that cannot exist', () => {
  expect(
    findingLines(() =>
      egressOf('store', '{ store: { egress: [{ to: [{ ipBlock: { cidr: 192.0.2.0/33 } }] }] } }'),
    ),
  ).toEqual([
    expect.stringContaining('192.0.2.0/33 is not a CIDR block (the prefix length is at most 32)'),
  ]);
});

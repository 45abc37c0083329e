import { describe, expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { AUTHORITY } from '../testing/authority.ts';
import { findingLines } from '../testing/findings.ts';
import { renderChecked } from '../testing/render-checked.ts';
import { appText, siteInputs } from '../testing/site-input.ts';

const input = siteInputs({ parseAppSpec, parseSite });
const WEB = appText('web', 'config: { web.txt: { format: text, layers: [{ content: x }] } }\n');
const found = (more: string, web = '{}') =>
  findingLines(() => renderChecked(input(`{ web: ${web} }`, { web: WEB }, more)));

it('refuses authorities that are not readable certificates', () => {
  const broken = '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n';
  expect(found(`tls: { ca: ${JSON.stringify(`${AUTHORITY}\n`)} }\n`)).toEqual([]);
  expect(found(`tls: { ca: ${JSON.stringify(`${AUTHORITY}\n${broken}`)} }\n`)).toEqual([
    'site.yaml:10 certificate 2 of 2 in tls.ca cannot be parsed (copy the certificate again, from its BEGIN line to its END line)',
  ]);
});

it('refuses rules about conflicts that name unknown objects', () => {
  expect(
    found(
      'conflicts:\n  - { object: Deployment/web, field: "*", policy: take }\n  - { field: "*", policy: take }\n  - { object: Deployment/wbe, field: "*", policy: take }\n  - { object: Pod/nothing-at-all, field: "*", policy: take }\n',
    ),
  ).toEqual([
    'site.yaml:13 the site has no object "Deployment/wbe" (did you mean "Deployment/web"?)',
    'site.yaml:14 the site has no object "Pod/nothing-at-all" (list the objects: ccp render test)',
  ]);
});

describe('rules about conflicts are reported together with other findings', () => {
  const rules =
    'conflicts:\n  - { object: Deployment/wbe, field: "*", policy: take }\n  - { object: Ingress/web-api, field: "*", policy: take }\n';
  const [DEPLOYMENT, INGRESS] = [
    'site.yaml:11 the site has no object "Deployment/wbe" (did you mean "Deployment/web"?)',
    'site.yaml:12 the site has no object "Ingress/web-api" (list the objects: ccp render test)',
  ];
  it('reports conflicts in an app and in an image set', () => {
    const site = input('{ web: {} }', { web: WEB }, rules);
    const ofSeries =
      'site.yaml:4 the site "test" runs series 2026.1, but the image set is for 2025.2 (build it: ccp build --series 2026.1)';
    expect(
      findingLines(() =>
        renderChecked({ ...site, imageSet: { ...site.imageSet, series: '2025.2' as never } }),
      ),
    ).toEqual([ofSeries, DEPLOYMENT, INGRESS]);
  });

  it('reports no conflict for an endpoint that a wrong host may exclude', () => {
    expect(found(rules, '{ hosts: { apo: "https://a.test" } }')).toEqual([
      `site.yaml:9 "web" has no endpoint "apo" (known: none)`,
      DEPLOYMENT,
    ]);
  });

  it.each([
    [
      'an app that is mistyped',
      '{ app: wbe }',
      WEB,
      'site.yaml:9 unknown app "wbe" (did you mean "web"?)',
    ],
    [
      'a pod that is not rendered',
      '{}',
      appText('web', '', 'env: { A: "${site.regoin}" }'),
      'images/web/app.yaml:16 unknown reference "${site.regoin}" (did you mean "site.region"?)',
    ],
  ])('and not for objects that %s excludes', (_, web, spec, finding) => {
    expect(
      findingLines(() => renderChecked(input(`{ web: ${web} }`, { web: spec }, rules))),
    ).toEqual([finding]);
  });
});

it('refuses a file that exceeds the size of a ConfigMap', () => {
  const spec = appText(
    'web',
    'settings: { block: { description: x, default: x } }\nconfig: { web.txt: { format: properties, layers: [{ content: {} }] } }\n',
  );
  // A definition has at most 256 KiB, so references make the file longer than its definition.
  const written = (block: string, blocks: number, rest: string) => {
    const content = JSON.stringify('${settings.block}'.repeat(blocks) + rest);
    const web = `{ settings: { block: ${block} }, config: { web.txt: { a: ${content} } } }`;
    return findingLines(() => renderChecked(input(`{ web: ${web} }`, { web: spec })));
  };
  expect(written('x'.repeat(2 ** 16), 15, 'x'.repeat(2 ** 16 - 12))).toEqual([]);
  expect(written('é'.repeat(2 ** 15), 16, '')).toEqual([
    'site.yaml:9 the file "web.txt" has 1048588 bytes with its name; a ConfigMap can contain at most 1048576 (make it smaller, or put long parts into the image)',
  ]);
});

describe('the namespace of node agents', () => {
  it('is not one of Kubernetes itself', () => {
    expect(found('nodeNamespace: kube-system\n')).toEqual([
      'site.yaml:10 the namespace "kube-system" is reserved for Kubernetes (use another namespace)',
    ]);
  });

  it('has a name of at most 63 characters', () => {
    const { site, ...rest } = input('{ web: {} }', { web: WEB });
    const long = { ...site, namespace: 'a'.repeat(60) };
    expect(findingLines(() => renderChecked({ ...rest, site: long }))).toEqual([
      `site.yaml:3 the namespace "${'a'.repeat(60)}-node" of workloads that need rights on their node would have more than 63 characters (set nodeNamespace)`,
    ]);
    expect(
      findingLines(() => renderChecked({ ...rest, site: { ...long, nodeNamespace: 'nodes' } })),
    ).toEqual([]);
  });

  it('has no endpoint with a host, to which no route of the other namespace leads', () => {
    const api = appText(
      'web',
      'provides: { api: { kind: endpoint, type: web, workload: web, port: http } }\n',
    ).replace('grace: 30', 'grace: 30\n    host: { network: x }');
    const hosts = '{ web: { hosts: { api: "https://web.test" } } }';
    expect(findingLines(() => renderChecked(input(hosts, { web: api })))).toEqual([
      'site.yaml:9 pods of "api" need rights on their node, so they are in the namespace "cloud-node", but routes to hosts are in "cloud" (remove the host, or set nodeNamespace: cloud)',
    ]);
    const together = `nodeNamespace: cloud
expose: { ingress: {}, from: [{ ipBlock: { cidr: 192.0.2.0/24 } }] }
tls: {}
`;
    expect(findingLines(() => renderChecked(input(hosts, { web: api }, together)))).toEqual([]);
  });
});

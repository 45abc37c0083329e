import { expect, it } from 'vitest';
import { CcpError, CcpErrors } from '#core';
import type { Site } from '#definitions';
import type { KubernetesObject } from '#ports';
import { fakeCluster } from '#ports/testing';
import { checkIngress } from './check-ingress.ts';

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  more: object = {},
): KubernetesObject => ({ apiVersion, kind, metadata: { name, ...more } });
const THERE = [
  object('networking.k8s.io/v1', 'IngressClass', 'nginx'),
  object('gateway.networking.k8s.io/v1', 'GatewayClass', 'envoy'),
  object('gateway.networking.k8s.io/v1', 'Gateway', 'public', { namespace: 'default' }),
  object('cert-manager.io/v1', 'ClusterIssuer', 'letters'),
];
const cluster = fakeCluster({ objects: THERE });

async function findings(of: Partial<Site>, at = cluster): Promise<readonly string[]> {
  const site = {
    name: 'test',
    namespace: 'cloud',
    apps: {},
    position: () => ({ file: 'site.yaml' }),
    ...of,
  } as Site;
  return await checkIngress(at, site).then(
    () => [],
    (error: unknown) =>
      (error instanceof CcpErrors ? error.findings : [error as CcpError]).map(
        ({ message, hint }) => `${message}${hint === undefined ? '' : ` (${hint})`}`,
      ),
  );
}

it.each<[string, Partial<Site>, string[]]>([
  [
    'what is there',
    {
      expose: { ingress: { class: 'nginx' } },
      tls: { secret: 'x', issuer: { kind: 'ClusterIssuer', name: 'letters' } },
    },
    [],
  ],
  [
    'a Gateway of another namespace',
    { expose: { gateway: { name: 'public', namespace: 'default' } } },
    [],
  ],
  [
    'an unknown class of Ingresses',
    { expose: { ingress: { class: 'ngnix' } } },
    ['fake has no IngressClass/ngnix (name an existing one, or create it first)'],
  ],
  [
    'no default class',
    { expose: { ingress: {} } },
    ['fake has no default IngressClass (set expose.ingress.class; the cluster has nginx)'],
  ],
  [
    'an unknown class of Gateways, and an issuer of the namespace',
    {
      expose: { gateway: { class: 'shiny' } },
      tls: { secret: 'x', issuer: { kind: 'Issuer', name: 'letters' } },
    },
    [
      'fake has no GatewayClass/shiny (name an existing one, or create it first)',
      'fake has no Issuer/letters in the namespace "cloud" (name an existing one, or create it first)',
    ],
  ],
  [
    "a Gateway that is not in the site's namespace",
    { expose: { gateway: { name: 'public' } } },
    [
      'fake has no Gateway/public in the namespace "cloud" (name an existing one, or create it first)',
    ],
  ],
  [
    'an issuer of one endpoint',
    {
      apps: {
        web: {
          expose: {
            api: { tls: { secret: 'x', issuer: { kind: 'ClusterIssuer', name: 'none' } } },
          },
        },
      },
    },
    ['fake has no ClusterIssuer/none (name an existing one, or create it first)'],
  ],
])('%s', async (_, site, expected) => {
  expect(await findings(site)).toEqual(expected);
});

it('skips objects that the account may not read', async () => {
  const denied = {
    ...cluster,
    get: () => Promise.reject(new CcpError({ code: 'cluster-denied', message: 'no' })),
  };
  expect(await findings({ expose: { ingress: { class: 'ngnix' } } }, denied)).toEqual([]);
});

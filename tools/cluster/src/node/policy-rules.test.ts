import { expect, it } from 'vitest';
import type { LiveObject } from '#ports';
import { policyRules } from './policy-rules.ts';

const object = (
  name: string,
  namespace: string,
  more: object,
  labels: Readonly<Record<string, string>> = {},
): LiveObject => ({
  apiVersion: 'v1',
  kind: 'Any',
  metadata: { name, namespace, labels, uid: name, resourceVersion: '1', creationTimestamp: '' },
  ...more,
});
const pod = (
  name: string,
  ip: string,
  labels: Readonly<Record<string, string>>,
  { namespace = 'cloud', ...status }: { readonly namespace?: string; readonly phase?: string } = {},
): LiveObject =>
  object(
    name,
    namespace,
    {
      spec: { containers: [{ ports: [{ name: 'sql', containerPort: 3306 }] }] },
      status: { podIP: ip, ...status },
    },
    labels,
  );
const policy = (spec: object): LiveObject => object('p', 'cloud', { spec });
const pods = [
  pod('db', '10.0.0.1', { app: 'db' }),
  pod('web', '10.0.0.2', { app: 'web' }),
  pod('job', '10.0.0.3', { app: 'web' }, { phase: 'Succeeded' }),
  pod('far', '10.0.0.4', { app: 'web' }, { namespace: 'other' }),
];
const namespaces = [object('cloud', '', {}, { team: 'a' }), object('other', '', {}, { team: 'b' })];
const DB = { podSelector: { matchLabels: { app: 'db' } } };
const DROP_OUT = '-A CCP-EGRESS -s 10.0.0.1 -j DROP';
const WEB = { podSelector: { matchLabels: { app: 'web' } } };
const DROP = '-A CCP-INGRESS -d 10.0.0.1 -j DROP';

it.each([
  ['a policy that selects no pod', { podSelector: { matchLabels: { app: 'none' } } }, []],
  ['a policy without rules', DB, [DROP]],
  [
    'pods of the namespace, by the name of a port',
    {
      ...DB,
      ingress: [
        {
          from: [
            {
              podSelector: {
                matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'x'] }],
              },
            },
          ],
          ports: [{ port: 'sql' }],
        },
      ],
    },
    ['-A CCP-INGRESS -s 10.0.0.2 -d 10.0.0.1 -p tcp --dport 3306 -j RETURN', DROP],
  ],
  [
    'pods of other namespaces',
    { ...DB, ingress: [{ from: [{ namespaceSelector: { matchLabels: { team: 'b' } } }] }] },
    ['-A CCP-INGRESS -s 10.0.0.4 -d 10.0.0.1 -j RETURN', DROP],
  ],
  [
    'any peer at a range of ports',
    { ...DB, ingress: [{ ports: [{ port: 80, endPort: 90, protocol: 'UDP' }] }] },
    ['-A CCP-INGRESS -d 10.0.0.1 -p udp --dport 80:90 -j RETURN', DROP],
  ],
  [
    'a port that the pod does not have',
    { ...DB, ingress: [{ ports: [{ port: 'none' }] }] },
    [DROP],
  ],
  [
    'a block of addresses',
    { ...DB, ingress: [{ from: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }] },
    ['-A CCP-INGRESS -s 192.0.2.0/24 -d 10.0.0.1 -j RETURN', DROP],
  ],
  [
    'a block of addresses with a partial exception',
    {
      ...DB,
      ingress: [{ from: [{ ipBlock: { cidr: '192.0.2.0/24', except: ['192.0.2.128/25'] } }] }],
    },
    ['-A CCP-INGRESS -s 192.0.2.0/25 -d 10.0.0.1 -j RETURN', DROP],
  ],
  [
    'a block of addresses with a complete exception',
    {
      ...DB,
      ingress: [{ from: [{ ipBlock: { cidr: '192.0.2.0/24', except: ['192.0.2.0/24'] } }] }],
    },
    [DROP],
  ],
  ['no outgoing connections', { ...DB, policyTypes: ['Egress'] }, [DROP_OUT]],
  [
    'outgoing connections to pods, by the name of their port',
    { ...DB, policyTypes: ['Egress'], egress: [{ to: [WEB], ports: [{ port: 'sql' }] }] },
    ['-A CCP-EGRESS -s 10.0.0.1 -d 10.0.0.2 -p tcp --dport 3306 -j RETURN', DROP_OUT],
  ],
  [
    'outgoing connections to a port number, and to a port name without a target pod',
    {
      ...DB,
      policyTypes: ['Egress'],
      egress: [{ ports: [{ port: 53, protocol: 'UDP' }, { port: 'sql' }] }],
    },
    ['-A CCP-EGRESS -s 10.0.0.1 -p udp --dport 53 -j RETURN', DROP_OUT],
  ],
  [
    'outgoing connections to IPv6 addresses only',
    { ...DB, policyTypes: ['Egress'], egress: [{ to: [{ ipBlock: { cidr: '::/0' } }] }] },
    [DROP_OUT],
  ],
  [
    'both directions',
    { ...DB, policyTypes: ['Ingress', 'Egress'], egress: [{}] },
    ['-A CCP-EGRESS -s 10.0.0.1 -j RETURN', DROP_OUT, DROP],
  ],
] as const)('renders rules for %s', (_, spec, rules) => {
  expect(policyRules({ policies: [policy(spec)], pods, namespaces })).toEqual(rules);
});

import { expect, test } from 'vitest';
import type { LiveObject } from '#ports';
import { policyRules } from './policy-rules.ts';

const object = (name: string, namespace: string, more: object, labels: Readonly<Record<string, string>> = {}): LiveObject => ({
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
  object(name, namespace, { spec: { containers: [{ ports: [{ name: 'sql', containerPort: 3306 }] }] }, status: { podIP: ip, ...status } }, labels);
const policy = (spec: object): LiveObject => object('p', 'cloud', { spec });
const pods = [
  pod('db', '10.0.0.1', { app: 'db' }),
  pod('web', '10.0.0.2', { app: 'web' }),
  pod('job', '10.0.0.3', { app: 'web' }, { phase: 'Succeeded' }),
  pod('far', '10.0.0.4', { app: 'web' }, { namespace: 'other' }),
];
const namespaces = [object('cloud', '', {}, { team: 'a' }), object('other', '', {}, { team: 'b' })];
const DB = { podSelector: { matchLabels: { app: 'db' } } };
const DROP = '-A CCP-POLICIES -d 10.0.0.1 -j DROP';

test.each([
  ['no policy selects a pod', { podSelector: { matchLabels: { app: 'none' } } }, []],
  ['nothing is allowed', DB, [DROP]],
  ['a policy of egress alone', { ...DB, policyTypes: ['Egress'] }, []],
  [
    'pods of the namespace, by the name of a port',
    { ...DB, ingress: [{ from: [{ podSelector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['web', 'x'] }] } }], ports: [{ port: 'sql' }] }] },
    ['-A CCP-POLICIES -s 10.0.0.2 -d 10.0.0.1 -p tcp --dport 3306 -j RETURN', DROP],
  ],
  [
    'pods of other namespaces',
    { ...DB, ingress: [{ from: [{ namespaceSelector: { matchLabels: { team: 'b' } } }] }] },
    ['-A CCP-POLICIES -s 10.0.0.4 -d 10.0.0.1 -j RETURN', DROP],
  ],
  [
    'anyone at a range of ports',
    { ...DB, ingress: [{ ports: [{ port: 80, endPort: 90, protocol: 'UDP' }] }] },
    ['-A CCP-POLICIES -d 10.0.0.1 -p udp --dport 80:90 -j RETURN', DROP],
  ],
  ['a port that the pod does not have', { ...DB, ingress: [{ ports: [{ port: 'none' }] }] }, [DROP]],
  [
    'a block of addresses',
    { ...DB, ingress: [{ from: [{ ipBlock: { cidr: '192.0.2.0/24' } }] }] },
    ['-A CCP-POLICIES -s 192.0.2.0/24 -d 10.0.0.1 -j RETURN', DROP],
  ],
] as const)('%s', (_, spec, rules) => {
  expect(policyRules({ policies: [policy(spec)], pods, namespaces })).toEqual(rules);
});

import { expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { checkedObjects } from '../testing/render-checked.ts';
import { appText, siteInputs } from '../testing/site-input.ts';

const SPEC = appText('web')
  .replace('kind: Deployment', 'kind: StatefulSet')
  .replace('grace: 30', 'grace: 30\n    leader: one at a time');

const rendered = () =>
  checkedObjects(
    siteInputs({ parseAppSpec, parseSite })('{ web: { replicas: { web: 3 } } }', { web: SPEC }),
  );
const named = (kind: string, name: string): any =>
  rendered().find((object) => object.kind === kind && object.metadata.name === name);

it('has a Service for the leader only, and another for all pods', () => {
  expect(named('Service', 'web').spec.selector['ccp.openstack.org/role']).toBe('writer');
  expect(named('Service', 'web-readers').spec.selector).not.toHaveProperty(
    'ccp.openstack.org/role',
  );
  expect(named('Service', 'web-peers').spec.selector).not.toHaveProperty('ccp.openstack.org/role');
});

it('allows the pods to label each other and to write one record, and nothing else', () => {
  expect(named('Role', 'web-leader').rules).toEqual([
    {
      apiGroups: [''],
      resources: ['pods'],
      resourceNames: ['web-0', 'web-1', 'web-2'],
      verbs: ['patch'],
    },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['create'] },
    { apiGroups: [''], resources: ['configmaps'], resourceNames: ['web-founded'], verbs: ['get'] },
  ]);
  expect(named('RoleBinding', 'web-leader').subjects).toEqual([
    { kind: 'ServiceAccount', name: 'web', namespace: expect.any(String) },
  ]);
  expect(named('StatefulSet', 'web').spec.template.spec.automountServiceAccountToken).toBe(true);
});

import { expect, it } from 'vitest';
import { fakeCluster } from '#ports/testing';
import { refuseManaged } from './refuse-managed.ts';

const SITE = { name: 'tiny', namespace: 'default' };
const withResource = (spec: object) =>
  fakeCluster({
    objects: [
      {
        apiVersion: 'ccp.openstack.org/v1alpha1',
        kind: 'OpenStackRelease',
        metadata: SITE,
        spec,
      },
    ],
  });

it('refuses a site that a resource describes, and names the resource', async () => {
  await expect(refuseManaged(withResource({}), SITE)).rejects.toMatchObject({
    code: 'deploy-managed',
    message: 'the operator reconciles "tiny" from OpenStackRelease/tiny in default',
  });
});

it('names the commands that delete the resource with its site', async () => {
  const resource = 'openstackrelease tiny --namespace default';
  await expect(refuseManaged(withResource({}), SITE, 'delete')).rejects.toMatchObject({
    hint: `delete the resource: kubectl annotate ${resource} ccp.openstack.org/confirm-deletion=tiny && kubectl delete ${resource}; or set its spec.paused to true first`,
  });
});

it('allows a site without a resource, and one whose resource is paused', async () => {
  await expect(refuseManaged(fakeCluster(), SITE)).resolves.toBeUndefined();
  await expect(refuseManaged(withResource({ paused: true }), SITE)).resolves.toBeUndefined();
});

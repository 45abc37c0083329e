import { expect, it } from 'vitest';
import { TINY, tinySite } from '../testing/tiny-site.ts';
import { tinyWorld } from '../testing/tiny-world.ts';
import { deleteSite } from './delete-site.ts';

it('a deletion that loses its lock says so, and deletes nothing more', async () => {
  const world = tinyWorld();
  const { cluster } = world;
  await world.apply(tinySite());
  cluster.edit({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: TINY.namespace }, (object) => Object.assign(object['metadata'] as object, { finalizers: ['test/never'] }));
  const stolen: typeof cluster.delete = async (ref, options) => {
    cluster.edit({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name: 'ccp-tiny', namespace: TINY.namespace }, (object) => Object.assign(object['spec'] as object, { holderIdentity: 'thief' }), 'thief');
    return await cluster.delete(ref, options);
  };
  const deleted = deleteSite({ ...cluster, delete: stolen }, TINY, { by: 'tester@host', run: 'run', clock: world.clock, emit: () => undefined, claims: true, secrets: true });
  await expect(deleted).rejects.toThrow('the lock of the site could not be renewed in time, another run may hold it now');
  expect(cluster.store.all().map(({ metadata }) => metadata.name)).toContain('ccp-tiny-revision-1');
});

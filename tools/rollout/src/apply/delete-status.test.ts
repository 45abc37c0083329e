import { describe, expect, it } from 'vitest';
import { TINY } from '#site/testing';
import { deleteSite, planDeletion } from './delete-site.ts';
import { installed } from '../testing/tiny-looks.ts';
import { type TinyWorld } from '../testing/tiny-world.ts';

describe('delete', () => {
  const options = (world: TinyWorld) => ({
    by: 'tester@host',
    run: 'run 9',
    clock: world.clock,
    emit: () => undefined,
  });
  const claim = (world: TinyWorld) =>
    world.cluster.store.put(
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: TINY.namespace,
        name: 'data-base-0',
      },
      {
        object: {
          metadata: {
            labels: {
              'app.kubernetes.io/name': 'base',
              'app.kubernetes.io/instance': 'base',
              'app.kubernetes.io/component': 'base',
            },
          },
        },
        owners: [],
      },
    );

  it('leaves claims, Secrets and the namespace, and nothing else', async () => {
    const world = await installed();
    claim(world);
    const found = await planDeletion(world.cluster, TINY);
    expect(found.members[0]?.key).toMatch(/^Job\//);
    expect(found.members.at(-1)?.key).toBe('ServiceAccount/web');
    const { failures, kept } = await deleteSite(world.cluster, TINY, {
      ...options(world),
      claims: false,
      secrets: false,
    });
    expect([failures, kept]).toEqual([
      [],
      ['PersistentVolumeClaim/data-base-0', 'Secret/web-database', 'Namespace/cloud'],
    ]);
    expect(
      world.cluster.store
        .all()
        .filter(({ metadata }) => metadata.namespace === TINY.namespace)
        .map(({ kind, metadata }) => `${kind}/${metadata.name}`),
    ).toEqual(['PersistentVolumeClaim/data-base-0', 'Secret/web-database']);
  });

  it('deletes objects that an earlier deletion left', async () => {
    const world = await installed();
    claim(world);
    await deleteSite(world.cluster, TINY, { ...options(world), claims: false, secrets: false });
    const { claims, secrets } = await planDeletion(world.cluster, TINY);
    expect([claims.map(({ metadata }) => metadata.name), secrets]).toEqual([
      ['data-base-0'],
      ['Secret/web-database'],
    ]);
    await deleteSite(world.cluster, TINY, { ...options(world), claims: true, secrets: true });
    expect(
      world.cluster.store.all().filter(({ metadata }) => metadata.namespace === TINY.namespace),
    ).toEqual([]);
  });

  it('takes claims when they are asked for, and can be done once more', async () => {
    const world = await installed();
    claim(world);
    await deleteSite(world.cluster, TINY, { ...options(world), claims: true, secrets: true });
    expect(
      world.cluster.store.all().filter(({ metadata }) => metadata.namespace === TINY.namespace),
    ).toEqual([]);
    expect(
      (await deleteSite(world.cluster, TINY, { ...options(world), claims: true, secrets: true }))
        .failures,
    ).toEqual([]);
  });
});

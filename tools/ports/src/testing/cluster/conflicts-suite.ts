import { describe, expect, it } from 'vitest';
import { suiteCluster, type ClusterUnderTest } from './suite-cluster.ts';

/** Conformance suite for field ownership conflicts in implementations of Cluster. */
export function conflictsSuite(name: string, open: () => Promise<ClusterUnderTest>): void {
  describe(`${name} as a cluster of several field managers`, () => {
    const { cluster, fieldManager, configMap, deployment, refTo, apply, specOf } =
      suiteCluster(open);

    it('reports owner and field of a conflict, and takes ownership by force', async () => {
      await apply(deployment('contested', { image: 'image:1' }, { replicas: 2 }), {
        fieldManager: 'autoscaler',
      });
      const mine = deployment('contested', { image: 'image:2' }, { replicas: 3 });
      const result = await cluster().apply(mine, { fieldManager });
      expect(result).toEqual({
        outcome: 'conflict',
        conflicts: expect.toSatisfy((conflicts: readonly object[]) => {
          expect(
            [...conflicts].sort((left, right) =>
              JSON.stringify(left).localeCompare(JSON.stringify(right)),
            ),
          ).toEqual([
            { manager: 'autoscaler', field: '.spec.replicas' },
            { manager: 'autoscaler', field: '.spec.template.spec.containers[name="main"].image' },
          ]);
          return true;
        }),
      });
      expect(specOf(await apply(mine, { force: true })).replicas).toBe(3);
      expect(
        await cluster().apply(deployment('contested', {}, { replicas: 4 }), {
          fieldManager: 'autoscaler',
        }),
      ).toMatchObject({ outcome: 'conflict' });
    });

    it('reports conflicts with manual edits', async () => {
      const live = await apply(configMap('edited', { a: '1' }));
      const updated = await cluster().update(
        { ...live, data: { a: '2' } },
        { fieldManager: 'kubectl-edit' },
      );
      expect(updated).toMatchObject({ outcome: 'updated', object: { data: { a: '2' } } });
      expect(await cluster().apply(configMap('edited', { a: '1' }), { fieldManager })).toEqual({
        outcome: 'conflict',
        conflicts: [{ manager: 'kubectl-edit', field: '.data.a' }],
      });
    });

    it('transfers fields by writing managed fields, so that the new owner removes them by omitting them', async () => {
      const live = await apply(configMap('given', { a: '1' }));
      const edited = await cluster().update(
        { ...live, data: { a: '1', b: '2' } },
        { fieldManager: 'kubectl-edit' },
      );
      if (edited.outcome !== 'updated') throw new Error(edited.outcome);
      const { metadata } = edited.object;
      const fieldsV1 = { 'f:data': { 'f:a': {}, 'f:b': {} } };
      const managedFields = metadata
        .managedFields!.filter(({ manager }) => manager === fieldManager)
        .map((entry) => ({ ...entry, fieldsV1 }));
      const given = await cluster().update(
        { ...edited.object, metadata: { ...metadata, managedFields } },
        { fieldManager },
      );
      expect(given).toMatchObject({
        outcome: 'updated',
        object: {
          data: { a: '1', b: '2' },
          metadata: { managedFields: [{ manager: fieldManager, fieldsV1 }] },
        },
      });
      expect(await apply(configMap('given', { a: '1' }))).toMatchObject({ data: { a: '1' } });
    });

    it('returns all conflicting differences of a forced dry run, without taking ownership', async () => {
      const wanted = configMap('forced', { a: '1', b: '1', c: '1' });
      const { data: _, ...live } = await apply(wanted);
      await cluster().update(
        { ...live, data: { a: '2', b: '1' } },
        { fieldManager: 'kubectl-edit' },
      );
      const before = await cluster().get(refTo(wanted));
      expect((await apply(wanted, { dryRun: true, force: true }))['data']).toEqual({
        a: '1',
        b: '1',
        c: '1',
      });
      expect(await cluster().get(refTo(wanted))).toEqual(before);
    });
  });
}

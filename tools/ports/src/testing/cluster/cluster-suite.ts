import { describe, expect, it } from 'vitest';
import type { KubernetesObject, LiveObject } from '../../cluster.ts';
import { conflictsSuite } from './conflicts-suite.ts';
import { readingSuite } from './reading-suite.ts';
import { suiteCluster, type ClusterUnderTest } from './suite-cluster.ts';

/** Conformance suite for implementations of Cluster. Needs no controllers. */
export function clusterSuite(name: string, open: () => Promise<ClusterUnderTest>): void {
  readingSuite(name, open);
  conflictsSuite(name, open);
  describe(`${name} as a cluster, for writes`, () => {
    const {
      cluster,
      namespace,
      fieldManager,
      configMap,
      deployment,
      refTo,
      apply,
      create,
      specOf,
    } = suiteCluster(open);

    it('reports its version and its kinds', async () => {
      expect(await cluster().version()).toEqual({
        major: 1,
        minor: expect.any(Number),
        gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/),
      });
      const kinds = await cluster().kinds();
      expect(
        kinds.find(
          ({ apiVersion, kind }) =>
            apiVersion === 'networking.k8s.io/v1' && kind === 'NetworkPolicy',
        ),
      ).toMatchObject({
        plural: 'networkpolicies',
        namespaced: true,
      });
      expect(
        kinds.find(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Namespace'),
      ).toMatchObject({ plural: 'namespaces', namespaced: false });
      expect(kinds.filter(({ plural }) => plural.includes('/'))).toEqual([]);
    });

    it('returns undefined for a missing object, and rejects an unknown kind', async () => {
      expect(
        await cluster().get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'absent' }),
      ).toBeUndefined();
      await expect(
        cluster().get({ apiVersion: 'example.org/v1', kind: 'Widget', namespace, name: 'x' }),
      ).rejects.toMatchObject({
        code: 'cluster-kind-unknown',
      });
    });

    it('does not write if nothing changes', async () => {
      const object = configMap('same', { a: '1' }, { labels: { app: 'x' } });
      const first = await apply(object);
      expect((await apply(object)).metadata).toEqual(first.metadata);
      expect(
        (await apply(configMap('same', { a: '2' }, { labels: { app: 'x' } }))).metadata
          .resourceVersion,
      ).not.toBe(first.metadata.resourceVersion);
    });

    it('returns the result of a dry run without storing it', async () => {
      const object = deployment('dry', {});
      expect(specOf(await apply(object, { dryRun: true })).replicas).toBe(1);
      expect(await cluster().get(refTo(object))).toBeUndefined();
      const live = await apply(object);
      expect(
        specOf(await apply(deployment('dry', { image: 'image:2' }), { dryRun: true })).template.spec
          .containers[0],
      ).toMatchObject({ image: 'image:2' });
      expect(await cluster().get(refTo(object))).toEqual(live);
    });

    it('removes fields that are no longer applied, and keeps those of other managers', async () => {
      await apply(configMap('members', { a: '1', b: '1' }));
      await apply(configMap('members', { c: '1' }), { fieldManager: 'another' });
      expect((await apply(configMap('members', { b: '1' })))['data']).toEqual({ b: '1', c: '1' });
    });

    it('reports the owners of fields', async () => {
      const { metadata } = await apply({
        ...deployment('owned', {
          env: [{ name: 'A', value: '1' }],
          ports: [{ containerPort: 80 }],
        }),
        metadata: { name: 'owned', namespace, labels: { app: 'x' }, annotations: {} },
      });
      const leaf = {};
      const container = {
        '.': leaf,
        'f:name': leaf,
        'f:image': leaf,
        'f:env': { 'k:{"name":"A"}': { '.': leaf, 'f:name': leaf, 'f:value': leaf } },
        'f:ports': {
          'k:{"containerPort":80,"protocol":"TCP"}': { '.': leaf, 'f:containerPort': leaf },
        },
      };
      const template = {
        'f:metadata': { 'f:labels': { 'f:app': leaf } },
        'f:spec': { 'f:containers': { 'k:{"name":"main"}': container } },
      };
      expect(metadata.managedFields).toEqual([
        {
          manager: fieldManager,
          operation: 'Apply',
          apiVersion: 'apps/v1',
          time: expect.any(String),
          fieldsType: 'FieldsV1',
          fieldsV1: {
            'f:metadata': { 'f:annotations': leaf, 'f:labels': { 'f:app': leaf } },
            'f:spec': { 'f:selector': leaf, 'f:template': template },
          },
        },
      ]);
    });

    it('merges keyed lists by their keys', async () => {
      const env = (...names: readonly string[]) => ({
        env: names.map((each) => ({ name: each, value: '1' })),
      });
      await apply(deployment('keyed', env('A', 'B')));
      await apply(deployment('keyed', env('C')), { fieldManager: 'another' });
      const live = await apply(deployment('keyed', env('B')));
      expect(
        (specOf(live).template.spec.containers[0]!['env'] as readonly { readonly name: string }[])
          .map((each) => each.name)
          .sort(),
      ).toEqual(['B', 'C']);
    });

    it('increases the generation for changes of the desired state, not of labels', async () => {
      const first = await apply(deployment('counted', {}));
      const labelled = {
        ...deployment('counted', {}),
        metadata: { name: 'counted', namespace, labels: { app: 'y' } },
      };
      expect((await apply(labelled)).metadata.generation).toBe(first.metadata.generation);
      expect((await apply(deployment('counted', { image: 'image:2' }))).metadata.generation).toBe(
        (first.metadata.generation ?? 0) + 1,
      );
    });

    it('reports the invalid field', async () => {
      const job = (image: string): KubernetesObject => ({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'fixed', namespace },
        spec: {
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image }] } },
        },
      });
      await apply(job('image:1'));
      expect(await cluster().apply(job('image:2'), { fieldManager })).toMatchObject({
        outcome: 'invalid',
        causes: [{ field: 'spec.template', reason: 'FieldValueInvalid' }],
      });
      await apply({ ...configMap('frozen', { a: '1' }), immutable: true });
      expect(
        await cluster().apply(
          { ...configMap('frozen', { a: '2' }), immutable: true },
          { fieldManager },
        ),
      ).toMatchObject({
        outcome: 'invalid',
        causes: [{ field: 'data', reason: 'FieldValueForbidden' }],
      });
    });

    it('rejects duplicate items', async () => {
      const twice = { env: ['1', '2'].map((value) => ({ name: 'A', value })) };
      expect(await cluster().apply(deployment('twice', twice), { fieldManager })).toMatchObject({
        outcome: 'invalid',
        causes: [
          {
            field: 'spec.template.spec.containers[name="main"].env',
            reason: 'FieldValueInvalid',
            message: 'duplicate entries for key [name="A"]',
          },
        ],
      });
    });

    it('rejects an object in a missing namespace, and names the namespace', async () => {
      const object = configMap('lost', { a: '1' }, { namespace: `${namespace}-absent` });
      await expect(cluster().apply(object, { fieldManager })).rejects.toMatchObject({
        code: 'cluster-missing',
        message: expect.stringContaining(`"${namespace}-absent" not found`),
      });
    });

    it('applies only to the given version', async () => {
      const { metadata } = await apply(configMap('versioned', { a: '1' }));
      const asked = (more: object) =>
        cluster().apply(configMap('versioned', { a: '2' }, more), { fieldManager });
      expect(await asked({ uid: '00000000-0000-0000-0000-000000000000' })).toEqual({
        outcome: 'stale',
      });
      expect(await asked({ resourceVersion: metadata.resourceVersion })).toMatchObject({
        outcome: 'applied',
      });
      expect(
        await cluster().apply(
          configMap('versioned', { a: '3' }, { resourceVersion: metadata.resourceVersion }),
          { fieldManager },
        ),
      ).toEqual({
        outcome: 'stale',
      });
    });

    it('creates once, and updates only the version that was read', async () => {
      const lease: KubernetesObject = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'lock', namespace },
        spec: { holderIdentity: 'one' },
      };
      const mine = await create(lease);
      expect(await cluster().create(lease, { fieldManager })).toEqual({ outcome: 'exists' });
      const next = { ...mine, spec: { holderIdentity: 'two' } };
      expect(await cluster().update(next, { fieldManager })).toMatchObject({
        outcome: 'updated',
        object: { spec: { holderIdentity: 'two' } },
      });
      expect(
        await cluster().update({ ...mine, spec: { holderIdentity: 'three' } }, { fieldManager }),
      ).toEqual({ outcome: 'stale' });
      await cluster().delete(refTo(lease));
      expect(await cluster().update(next, { fieldManager })).toEqual({ outcome: 'missing' });
    });

    it('deletes the given object, and reports a pending deletion', async () => {
      const object = await create(configMap('leaving', { a: '1' }));
      expect(
        await cluster().delete(refTo(object), {
          preconditions: { uid: '00000000-0000-0000-0000-000000000000' },
        }),
      ).toEqual({ outcome: 'stale' });
      expect(
        await cluster().delete(refTo(object), { preconditions: { uid: object.metadata.uid } }),
      ).toEqual({ outcome: 'gone' });
      expect(await cluster().delete(refTo(object))).toEqual({ outcome: 'missing' });
      const held = await create(configMap('held', {}, { finalizers: ['example.org/held'] }));
      expect(await cluster().delete(refTo(held))).toEqual({ outcome: 'deleting' });
      const live = (await cluster().get(refTo(held))) as LiveObject;
      expect(live.metadata.deletionTimestamp).toEqual(expect.any(String));
      await cluster().update(
        { ...live, metadata: { ...live.metadata, finalizers: [] } },
        { fieldManager },
      );
      expect(await cluster().get(refTo(held))).toBeUndefined();
    });
  });
}

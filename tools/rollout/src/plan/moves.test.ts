import { expect, it } from 'vitest';
import type { LiveObject } from '#ports';
import { TINY } from '#site/testing';
import { movedIn, refuseMoveOfData } from './moves.ts';
import type { PlannedObject } from './types.ts';

const NODE = 'cloud-node';
const object = (kind: string, namespace: string, name = 'store') => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace, uid: '', resourceVersion: '', creationTimestamp: '' },
});
const set = (namespace: string) => ({
  ...object('StatefulSet', namespace),
  spec: { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] },
});
const planned = {
  key: `StatefulSet/${NODE}/store`,
  action: 'create',
  desired: set(NODE),
} as unknown as PlannedObject;
const planWith = (live: readonly LiveObject[], claims: readonly LiveObject[]): PlannedObject =>
  refuseMoveOfData(planned, {
    home: TINY,
    objects: new Map(live.map((each) => [each.kind, each])),
    claims,
  });

it('refuses a StatefulSet that would leave its data in another namespace', () => {
  const claim = object('PersistentVolumeClaim', TINY.namespace, 'data-store-0');
  expect(planWith([set(TINY.namespace)], [claim])).toMatchObject({
    action: 'refused',
    reason:
      'its data is in PersistentVolumeClaim/data-store-0 of the namespace cloud, and claims cannot move to another namespace',
    remedy: 'keep all objects in one namespace: set nodeNamespace: cloud in the site',
  });
});

it('creates a StatefulSet without data elsewhere', () => {
  const other = object('PersistentVolumeClaim', TINY.namespace, 'data-other-0');
  const own = object('PersistentVolumeClaim', NODE, 'data-store-0');
  expect(planWith([], [other, own])).toBe(planned);
});

it('moves only workloads of the same kind and name', () => {
  const old = [
    object('DaemonSet', TINY.namespace, 'agent'),
    object('Deployment', TINY.namespace, 'agent'),
    object('Service', TINY.namespace, 'agent'),
    object('DaemonSet', NODE, 'agent'),
  ];
  expect(
    movedIn([object('DaemonSet', NODE, 'agent'), object('Service', NODE, 'agent')], old),
  ).toEqual([[old[0], NODE]]);
});

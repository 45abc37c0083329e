import { expect, it } from 'vitest';
import { messageOf } from '#core';
import type { LiveObject } from '#ports';
import { APP, applicationWorld, renderTiny } from '../testing/application-world.ts';
import { mergeOverrides, mergeValues } from './merge-values.ts';
import { systemOverrides } from './system-overrides.ts';
import {
  deleteOverrides,
  listOverrides,
  showOverrides,
  updateOverrides,
} from './user-overrides.ts';

it('merges values as Helm does, with the nodes of the top layer first', () => {
  const below = { a: { b: 1, c: [1, 2] }, d: 'x', nodes: { racks: { labels: ['rack'] } } };
  const above = { a: { b: 2, c: [3] }, d: null, nodes: { one: { labels: ['host=one'] } }, e: {} };
  const merged = mergeValues(below, above);
  expect(merged).toEqual({
    a: { b: 2, c: [3] },
    nodes: { one: { labels: ['host=one'] }, racks: { labels: ['rack'] } },
    e: {},
  });
  expect(Object.keys(merged['nodes'] as object)).toEqual(['one', 'racks']);
  expect(mergeOverrides({ x: { a: 1 } }, { x: { b: 2 }, y: { c: 3 } })).toEqual({
    x: { a: 1, b: 2 },
    y: { c: 3 },
  });
});

it('keeps the key `__proto__` as a key, which a site refuses', () => {
  const above = JSON.parse('{"__proto__":{"replicas":9},"a":{"__proto__":1}}') as object;
  const merged = mergeValues({ a: {} }, above as Record<string, unknown>);
  expect(JSON.stringify(merged)).toBe('{"a":{"__proto__":1},"__proto__":{"replicas":9}}');
  expect('replicas' in {}).toBe(false);
});

it('limits replicas that must not share a host', () => {
  const nodes = (count: number): LiveObject[] =>
    Array.from(
      { length: count },
      (_, index) => ({ metadata: { name: `n${index}`, labels: { role: 'x' } } }) as never,
    );
  const of = (
    count: number,
    { odd = false, spread = 'required' as const, ...more } = {} as {
      readonly odd?: boolean;
      readonly spread?: 'required' | 'preferred';
      readonly before?: number;
      readonly isDeployed?: boolean;
    },
  ): unknown => {
    const { before, isDeployed = false } = more;
    const workload = { instance: 'db', workload: 'db', role: 'r', replicas: 5, odd, spread };
    return systemOverrides({ workloads: [workload], roles: { r: ['role'] } }, nodes(count), {
      before: before === undefined ? {} : { db: { replicas: { db: before } } },
      isDeployed,
    })['db']?.['replicas'];
  };
  expect([0, 1, 2, 4, 5, 9].map((count) => of(count))).toEqual([
    undefined,
    { db: 1 },
    { db: 2 },
    { db: 4 },
    undefined,
    undefined,
  ]);
  expect([1, 2, 4].map((count) => of(count, { odd: true }))).toEqual([
    { db: 1 },
    { db: 1 },
    { db: 3 },
  ]);
  expect(of(1, { spread: 'preferred' })).toBeUndefined();
  // A deployed workload keeps its members when hosts leave, and gets more when hosts come.
  expect(of(1, { before: 3, isDeployed: true })).toEqual({ db: 3 });
  expect(of(4, { before: 3, isDeployed: true })).toEqual({ db: 4 });
  expect(of(1, { isDeployed: true })).toBeUndefined();
});

it('changes, shows and deletes overrides of users', async () => {
  const world = applicationWorld();
  const { cluster } = world;
  await world.upload({});
  const update = async (values: object, reset = false): Promise<unknown> =>
    await updateOverrides(
      world.engine(),
      APP,
      { chart: 'base', values: values as Record<string, unknown>, reset },
      renderTiny,
    ).catch(messageOf);
  expect(await update({ replicas: { base: 3 } })).toMatchObject({
    user: { replicas: { base: 3 } },
    layers: { 'replicas.base': 'user' },
  });
  expect(await update({ replicas: { base: 'many' } })).toBe('tiny-app refuses its overrides');
  expect(await showOverrides(cluster, APP, 'base', renderTiny)).toMatchObject({
    combined: { replicas: { base: 3 } },
  });
  expect(await update({ size: 1, replicas: { base: 4 } }, true)).toMatchObject({
    user: { size: 1, replicas: { base: 4 } },
  });
  await deleteOverrides(world.engine(), APP, 'base', renderTiny);
  expect(await listOverrides(cluster, APP, renderTiny)).toEqual(
    ['base', 'web'].map((chart) => ({ chart, system: {}, user: {}, combined: {}, layers: {} })),
  );
  const wrong = showOverrides(cluster, APP, 'bas', renderTiny);
  expect(await wrong.catch(messageOf)).toBe('tiny-app has no chart bas that accepts overrides');
});

it('needs a locked host for an override of one host, once the application is deployed', async () => {
  const world = applicationWorld();
  await world.upload({});
  world.node('node.one', { role: 'any' });
  const update = async (host: string): Promise<unknown> =>
    await updateOverrides(
      world.engine(),
      APP,
      { chart: 'web', values: { config: { x: 1 } }, reset: false, host },
      renderTiny,
    ).catch(messageOf);
  expect(await update('node.two')).toBe('fake has no host node.two');
  expect(await update('node.one')).toMatchObject({
    user: {
      nodes: { 'node-one': { labels: ['kubernetes.io/hostname=node.one'], config: { x: 1 } } },
    },
  });
  await world.applyApp();
  expect(await update('node.one')).toBe(
    'an override for one host needs a locked host, but node.one is unlocked: it is not cordoned',
  );
});

import { describe, expect, it } from 'vitest';
import type { Cluster } from '#ports';
import { refTo } from '#rollout/testing';
import { TINY } from '#site/testing';
import {
  condition,
  operatorWorld,
  RESOURCE,
  type OperatorWorld,
} from '../testing/operator-world.ts';
import { SERVICE } from '../resources/kinds.ts';
import { followResource } from './follow-resource.ts';
import { runOperator } from './run-operator.ts';

/** An operator over a world, until it is stopped. */
function started(world: OperatorWorld, cluster: Cluster = world.cluster, by = 'ccp-operator') {
  const stop = new AbortController();
  const over = runOperator({
    ...world.context(cluster),
    by,
    namespace: TINY.namespace,
    signal: stop.signal,
  });
  return {
    stop: async () => {
      stop.abort();
      await over;
    },
    over,
  };
}

/** Lets the virtual clock run until `is` is true; throws after a virtual hour. */
async function until(world: OperatorWorld, is: () => boolean): Promise<number> {
  const start = world.clock.elapsed();
  while (!is()) {
    if (world.clock.elapsed() - start > 3600) throw new Error('it does not become true');
    await world.clock.sleep(500);
  }
  return world.clock.elapsed() - start;
}

const isReady = (world: OperatorWorld): boolean =>
  condition(world.resource(), 'Ready') === 'True Healthy' &&
  world.resource().status?.observedGeneration === world.resource().metadata.generation;

describe('the operator', () => {
  it('applies a resource and each change of it', async () => {
    const world = operatorWorld();
    const operator = started(world);
    world.put({});
    await until(world, () => isReady(world));
    world.put({ webs: 3 });
    await until(world, () => isReady(world));
    expect(world.cluster.store.get(refTo('Deployment', 'web'))?.['spec']).toMatchObject({
      replicas: 3,
    });
    await operator.stop();
  });

  it('sees and repairs drift within 30 s', async () => {
    const world = operatorWorld();
    world.put({});
    const operator = started(world);
    await until(world, () => isReady(world));
    await world.clock.sleep(60_000);
    const web = refTo('Deployment', 'web');
    await world.cluster.delete(web);
    const seconds = await until(world, () => world.cluster.store.get(web) !== undefined);
    expect(seconds).toBeLessThan(30);
    await operator.stop();
  });

  it('applies a ConfigMap that is created after its resource, and another that the spec names', async () => {
    const world = operatorWorld();
    const create = (name: string, webs: number): void =>
      void world.cluster.store.put(
        { apiVersion: 'v1', kind: 'ConfigMap', name, namespace: TINY.namespace },
        { object: { data: { 'site.yaml': JSON.stringify({ webs }) } }, owners: [] },
      );
    const replicas = (): unknown =>
      (
        world.cluster.store.get(refTo('Deployment', 'web'))?.['spec'] as
          { readonly replicas?: number } | undefined
      )?.replicas;
    world.put({}, { site: { configMap: { name: 'first' } } });
    const operator = started(world);
    await until(world, () => condition(world.resource(), 'Ready') !== undefined);
    create('first', 2);
    const seconds = await until(world, () => replicas() === 2);
    expect(seconds).toBeLessThan(60);
    await until(world, () => isReady(world));
    world.put({}, { site: { configMap: { name: 'second' } } });
    await world.clock.sleep(10_000);
    create('second', 3);
    expect(await until(world, () => replicas() === 3)).toBeLessThan(60);
    await until(world, () => isReady(world));
    await operator.stop();
  });

  it('ends the loop of a resource that another one with its name replaces', async () => {
    const world = operatorWorld();
    world.put({});
    const stop = new AbortController();
    const follower = followResource(world.context(), { ...RESOURCE, uid: 'earlier' }, stop.signal);
    await follower.over;
    expect(world.reports).toEqual([]);
    expect(world.resource().status).toBeUndefined();
  });

  it('shows no secret of a log in the status, in Events and in reports', async () => {
    const world = operatorWorld();
    world.behave({ web: 'crashes' });
    const line = 'cannot connect to mysql://web:' + 'hunter22secret' + '@base/web';
    const cluster: Cluster = { ...world.cluster, logs: async () => `${line}\n` };
    world.put({}, { rollback: 'onFailure' });
    const operator = started(world, cluster);
    await until(world, () => world.resource().status?.lastFailure !== undefined);
    await operator.stop();
    const events = world.cluster.store.all().filter(({ kind }) => kind === 'Event');
    const notes = world.reports.filter(({ type }) => type === 'note');
    for (const shown of [world.resource().status, events, notes]) {
      const text = JSON.stringify(shown);
      expect(text).toContain('cannot connect to mysql://');
      expect(text).not.toContain('hunter22secret');
    }
  });

  it('shows the services in the namespace of a release, and each change of their state', async () => {
    const world = operatorWorld();
    const operator = started(world);
    world.put({});
    await until(world, () => isReady(world));
    const child = { ...SERVICE, namespace: TINY.namespace, name: 'child' };
    const spec = { set: {}, site: {}, app: 'web', paused: true };
    world.cluster.store.put(child, { object: { spec }, owners: [] });
    const children = () => world.resource().status?.children;
    await until(world, () => children()?.[0]?.reason === 'Paused');
    expect(children()).toEqual([
      {
        name: 'child',
        app: 'web',
        ready: 'Unknown',
        reason: 'Paused',
        message: 'spec.paused is true: nothing is read or written',
      },
    ]);
    expect(isReady(world)).toBe(true);
    await world.cluster.delete(child);
    await until(world, () => children() === undefined);
    await operator.stop();
  });

  it('cancels a run that waits if the spec changes', async () => {
    const world = operatorWorld();
    world.behave({ web: 'hangs' });
    world.put({});
    const operator = started(world);
    await until(world, () => world.cluster.store.get(refTo('Deployment', 'web')) !== undefined);
    world.put({ web: false });
    const seconds = await until(world, () => isReady(world));
    expect(seconds).toBeLessThan(120);
    await operator.stop();
  });

  it('deletes the site only with the confirming annotation, and keeps claims', async () => {
    const world = operatorWorld();
    world.put({});
    const operator = started(world);
    await until(world, () => isReady(world));
    await world.cluster.delete(RESOURCE);
    await until(world, () => condition(world.resource(), 'Stalled') === 'True DeletionUnconfirmed');
    expect(world.cluster.store.get(refTo('Deployment', 'web'))).toBeDefined();
    world.annotate({ 'ccp.openstack.org/confirm-deletion': TINY.name });
    await until(world, () => world.cluster.store.get(RESOURCE) === undefined);
    expect(world.cluster.store.get(refTo('Deployment', 'web'))).toBeUndefined();
    expect(world.reports.some((each) => each.type === 'note' && each.reason === 'Deleted')).toBe(
      true,
    );
    await operator.stop();
  });

  it('leaves the work to the leader, and takes over when the leader is silent', async () => {
    const world = operatorWorld();
    let isPaused = false;
    const pausing = (cluster: Cluster): Cluster =>
      Object.fromEntries(
        Object.entries(cluster).map(([name, member]) => [
          name,
          typeof member !== 'function' || name === 'watch'
            ? member
            : async (...parts: unknown[]) => {
                while (isPaused) await world.clock.sleep(1000);
                return await (member as (...all: unknown[]) => unknown)(...parts);
              },
        ]),
      ) as unknown as Cluster;
    const first = started(world, pausing(world.cluster), 'first');
    await until(world, () => world.reports.some((each) => each.type === 'leader'));
    const second = started(world, world.cluster, 'second');
    world.put({});
    await until(world, () => isReady(world));
    const holder = (): unknown =>
      (
        world.cluster.store.get({
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          name: 'ccp-operator',
          namespace: TINY.namespace,
        })?.['spec'] as { readonly holderIdentity?: string }
      )?.holderIdentity;
    expect(holder()).toMatch(/^first /);
    isPaused = true;
    await until(world, () => String(holder()).startsWith('second '));
    isPaused = false;
    await expect(first.over).rejects.toThrow("now holds the site's lock");
    world.put({ webs: 4 });
    await until(world, () => isReady(world));
    await second.stop();
  });
});

import { describe, expect, it } from 'vitest';
import { refTo, revisions, tinyWorld } from '#rollout/testing';
import { TINY, tinySite } from '#site/testing';
import { condition, operatorWorld } from '../testing/operator-world.ts';
import { siteState } from '../testing/site-state.ts';

describe('a pass over a resource', () => {
  it('installs the site as `ccp deploy apply` does, and is then ready', async () => {
    const world = operatorWorld();
    world.put({});
    expect(await world.settle()).toEqual(['Applying good', 'Ready']);
    const resource = world.resource();
    expect(condition(resource, 'Ready')).toBe('True Healthy');
    expect(condition(resource, 'Reconciling')).toBe('False UpToDate');
    expect(condition(resource, 'Stalled')).toBe('False UpToDate');
    expect(resource.status).toMatchObject({
      observedGeneration: resource.metadata.generation,
      revision: 1,
      services: [
        { name: 'base', state: 'ready' },
        { name: 'web', state: 'ready', schema: 'contracted' },
      ],
      rollback: { allowed: false },
    });
    const byHand = tinyWorld();
    byHand.cluster.store.put(
      { apiVersion: 'v1', kind: 'Namespace', name: TINY.namespace },
      { object: { status: { phase: 'Active' } }, owners: [] },
    );
    await byHand.apply(tinySite());
    expect(siteState(world)).toEqual(siteState(byHand));
  });

  it('writes nothing and asks for no dry run if nothing has changed', async () => {
    const world = operatorWorld();
    world.put({});
    await world.settle();
    const { cluster } = world;
    let [dryRuns, requests] = [0, 0];
    const counted = Object.fromEntries(
      Object.entries(cluster).map(([name, member]) => [
        name,
        typeof member !== 'function'
          ? member
          : (...parts: unknown[]) => {
              requests += 1;
              if (name === 'apply') dryRuns += 1;
              return (member as (...all: unknown[]) => unknown)(...parts);
            },
      ]),
    ) as unknown as typeof cluster;
    const before = cluster.writes.length;
    expect(await world.pass(counted)).toMatchObject({ outcome: 'Ready' });
    expect(cluster.writes.slice(before)).toEqual([]);
    expect(dryRuns).toBe(0);
    expect(requests).toBeLessThan(45);
  });

  it('repairs objects that others have changed or deleted, or only reports them if the policy says so', async () => {
    const world = operatorWorld();
    world.put({});
    await world.settle();
    const web = refTo('Deployment', 'web');
    const scale = (): void =>
      void world.cluster.edit(web, (object) =>
        Object.assign(object['spec'] as object, { replicas: 7 }),
      );
    scale();
    expect(await world.settle()).toEqual(['Repairing good', 'Ready']);
    expect(world.cluster.store.get(web)?.['spec']).toMatchObject({ replicas: 2 });
    await world.cluster.delete(web);
    expect(await world.settle()).toEqual(['Repairing good', 'Ready']);
    expect(world.cluster.store.get(web)?.['spec']).toMatchObject({ replicas: 2 });
    world.put({}, { drift: 'show' });
    scale();
    expect(await world.settle()).toEqual(['Degraded']);
    expect(condition(world.resource(), 'Ready')).toBe('False Drifted');
    expect(world.cluster.store.get(web)?.['spec']).toMatchObject({ replicas: 7 });
  });

  it('rolls a failed release back, and applies it again only on demand', async () => {
    const world = operatorWorld();
    world.put({}, { rollback: 'onFailure' });
    await world.settle();
    world.behave({ web: 'crashes' });
    world.put({ release: 'two' }, { rollback: 'onFailure' });
    const first = await world.pass();
    expect(first.outcome).toBe('Applying failed');
    world.behave({});
    expect(await world.settle()).toEqual(['RollingBack good', 'RolledBack']);
    expect(await revisions(world)).toEqual(['1 good', '2 failed', '3 good back to 1']);
    expect(condition(world.resource(), 'Stalled')).toBe('True RolledBack');
    expect(world.resource().status?.lastFailure).toMatchObject({ revision: 2 });
    expect(await world.settle()).toEqual(['RolledBack']);
    world.put({ release: 'two', webs: 3 }, { rollback: 'onFailure' });
    expect(await world.settle(), 'the failed images with another site').toEqual(['RolledBack']);
    world.annotate({ 'ccp.openstack.org/retry': '2' });
    expect(await world.settle()).toEqual(['Applying good', 'Ready']);
    expect(condition(world.resource(), 'Stalled')).toBe('False UpToDate');
  });

  it('keeps the older revision after a person rolled back', async () => {
    const world = operatorWorld();
    world.put({});
    await world.settle();
    world.put({ release: 'two' });
    await world.settle();
    await world.apply(tinySite({}), { rollbackTo: 1 });
    expect(await world.settle()).toEqual(['RolledBack']);
    expect(await revisions(world)).toEqual(['1 good', '2 good', '3 good back to 1']);
    world.put({ release: 'three' });
    expect(await world.settle()).toEqual(['Applying good', 'Ready']);
  });

  it('applies a plan only when it is approved', async () => {
    const world = operatorWorld();
    world.put({}, { approve: 'plan' });
    expect(await world.settle()).toEqual(['ApprovalNeeded']);
    expect(await revisions(world)).toEqual([]);
    const { hash } = world.resource().status!.plan!;
    world.put({}, { approve: 'plan', approvedPlan: hash });
    expect(await world.settle()).toEqual(['Applying good', 'Ready']);
    world.put({ release: 'two' }, { approve: 'plan', approvedPlan: hash });
    expect(await world.settle()).toEqual(['Ready']);
    expect(condition(world.resource(), 'UpgradeAvailable')).toBe('True ApprovalNeeded');
    expect(condition(world.resource(), 'Ready')).toBe('True Healthy');
  });
});

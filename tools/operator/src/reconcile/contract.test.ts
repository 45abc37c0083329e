import { describe, expect, it } from 'vitest';
import type { ReleaseSpec } from '../resources/types.ts';
import { operatorWorld, type OperatorWorld } from '../testing/operator-world.ts';

const HOUR_MS = 3_600_000;

/** An upgraded site whose schema is still to be contracted. */
async function upgraded(spec: Partial<ReleaseSpec>): Promise<OperatorWorld> {
  const world = operatorWorld();
  world.put({}, spec);
  await world.settle();
  world.put({ release: 'two' }, spec);
  await world.settle();
  expect(schema(world)).toBe('migrated');
  return world;
}
const schema = (world: OperatorWorld): string | undefined =>
  world.resource().status!.services!.find(({ name }) => name === 'web')!.schema;

describe('the contract of a schema', () => {
  it('runs only with a confirmation that names the current revision', async () => {
    const world = await upgraded({});
    await world.clock.sleep(1000 * HOUR_MS);
    world.annotate({ 'ccp.openstack.org/confirm-contract': '1' });
    expect(await world.settle()).toEqual(['Ready']);
    expect(schema(world)).toBe('migrated');
    world.annotate({ 'ccp.openstack.org/confirm-contract': '2' });
    expect(await world.settle()).toEqual(['Contracting good', 'Ready']);
    expect(schema(world)).toBe('contracted');
  });

  it('runs by itself when the release was good for the time of the policy', async () => {
    const world = await upgraded({ contract: 'after', contractAfter: '2h' });
    const { again, outcome } = await world.pass();
    expect(outcome).toBe('Ready');
    expect(again).toBeLessThanOrEqual(2 * HOUR_MS);
    await world.clock.sleep(HOUR_MS);
    expect(await world.settle()).toEqual(['Ready']);
    expect(schema(world)).toBe('migrated');
    await world.clock.sleep(HOUR_MS);
    expect(await world.settle()).toEqual(['Contracting good', 'Ready']);
    expect(schema(world)).toBe('contracted');
  });

  it('waits for a maintenance window after that time', async () => {
    const world = operatorWorld();
    const now = world.clock.now();
    const start = new Date(now + 5 * HOUR_MS).toISOString().slice(11, 16);
    const spec: Partial<ReleaseSpec> = { contract: 'after', contractAfter: '2h' };
    world.put({}, spec);
    await world.settle();
    world.put({ release: 'two' }, spec);
    await world.settle();
    world.put({ release: 'two' }, { ...spec, maintenance: [{ start, duration: '1h' }] });
    await world.clock.sleep(3 * HOUR_MS);
    expect(await world.settle()).toEqual(['Ready']);
    expect(schema(world)).toBe('migrated');
    await world.clock.sleep(2 * HOUR_MS + 60_000);
    expect(await world.settle()).toEqual(['Contracting good', 'Ready']);
    expect(schema(world)).toBe('contracted');
  });

  it('postpones a release, but no repair, to the next maintenance window', async () => {
    const world = operatorWorld();
    const start = new Date(world.clock.now() + 5 * HOUR_MS).toISOString().slice(11, 16);
    const maintenance = [{ start, duration: '1h' }];
    world.put({}, { maintenance });
    expect(await world.settle()).toEqual(['Applying good', 'Ready']);
    world.put({ release: 'two' }, { maintenance });
    expect(await world.settle()).toEqual(['Ready']);
    const { conditions = [], nextMaintenance, revision } = world.resource().status!;
    expect(conditions.find(({ type }) => type === 'UpgradeAvailable')).toMatchObject({
      status: 'True',
      reason: 'MaintenanceWindow',
    });
    expect(nextMaintenance?.slice(11, 16)).toBe(start);
    expect(revision).toBe(1);
    await world.clock.sleep(5 * HOUR_MS + 60_000);
    expect(await world.settle()).toEqual(['Applying good', 'Ready']);
    expect(world.resource().status!.revision).toBe(2);
  });
});

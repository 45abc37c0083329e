import { describe, expect, it } from 'vitest';
import type { SchemaRevisions } from '#site';
import { TINY, tinySite } from '#site/testing';
import { deployPlanLines } from '../plan/plan-text.ts';
import { makePlan } from '../plan/make-plan.ts';
import { readLedger } from '../record/ledger-store.ts';
import type { DeployEvent } from '../session/events.ts';
import { statusNow } from '../status/open-status.ts';
import { statusLines } from '../status/status-text.ts';
import { plain, publish } from '../testing/tiny-looks.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';

const OLD: SchemaRevisions = { a: { after: [] }, b: { after: ['a'] } };
const NEW: SchemaRevisions = { ...OLD, c: { after: ['b'] } };
const site = (migrations = OLD, release = 'one') =>
  tinySite({ recovers: true, migrations, release });

async function installed(schemas: string): Promise<TinyWorld> {
  const world = tinyWorld();
  await world.apply(site(), { contract: true });
  await publish(world, 'schemas', schemas);
  return world;
}

const lines = async (world: TinyWorld): Promise<string[]> =>
  plain(statusLines(await statusNow(world.cluster, TINY, { clock: world.clock }), { brief: true }));
const planned = async (world: TinyWorld, rendered = site()): Promise<string[]> =>
  plain(deployPlanLines(await makePlan(world.cluster, TINY, rendered)));

describe('a database that was set back to older migrations', () => {
  it('is found by status and plan, and migrated by the next apply', async () => {
    const world = await installed('web=b');
    expect(await lines(world)).toEqual(
      expect.arrayContaining([
        '  ✓ 1 database with all migrations of the release',
        'the site is healthy',
      ]),
    );
    await publish(world, 'schemas', 'web=a');
    const reason = 'database web lacks 1 migration of web: b';
    const status = await lines(world);
    expect(status).toContain(`  x ${reason}`);
    expect(status).toContainEqual(
      expect.stringMatching(/^ {2}\? web\/job\/expand .* must run again, by an apply: .* lacks 1 /),
    );
    expect(status.at(-1)).toBe('3 of 8 steps are not done, 1 schema of another release');
    expect(await planned(world)).toContain(`  ! 3 Jobs run again: ${reason}`);
    const before = await readLedger(world.cluster, TINY);
    await publish(world, 'schemas', 'web=a');
    expect((await world.apply(site())).state).toBe('good');
    const after = Object.entries(await readLedger(world.cluster, TINY));
    expect(
      after
        .filter(([job, { order }]) => before[job]?.order !== order)
        .map(([, { step }]) => step)
        .sort(),
    ).toEqual(['web/job/contract', 'web/job/expand', 'web/job/migrate']);
  });

  it('has its new migrations published before the apply ends', async () => {
    const world = await installed('web=b');
    let published: Promise<void> | undefined;
    const emit = (event: DeployEvent): void => {
      if (event.type === 'step-ended' && event.step === 'web/job/contract')
        published = world.clock.sleep(8000).then(() => publish(world, 'schemas', 'web=c'));
    };
    expect((await world.apply(site(NEW, 'two'), { contract: true, emit })).state).toBe('good');
    const last = (await lines(world)).at(-1);
    await published;
    expect(last).toBe('the site is healthy');
  });

  it('also gets its account again if it does not exist', async () => {
    const world = await installed('other=x');
    expect(await planned(world)).toContain(
      '  ! 4 Jobs run again: database web of web has no migrations',
    );
  });
});

describe('a database with migrations of another release', () => {
  it('is ahead after a rollback', async () => {
    const world = tinyWorld();
    await world.apply(site());
    await world.apply(site(NEW, 'two'));
    await publish(world, 'schemas', 'web=c');
    expect((await world.apply(site(), { rollbackTo: 1 })).state).toBe('good');
    expect(await lines(world)).toEqual(
      expect.arrayContaining([
        '  = database web has 1 migration of a later release of web: c',
        'the site is healthy',
      ]),
    );
  });

  it('is named if no recorded release has them', async () => {
    const world = await installed('web=z');
    const text = 'database web has migrations that no recorded release of web has: z';
    expect(await lines(world)).toContain(`  x ${text}`);
    expect((await statusNow(world.cluster, TINY)).well).toBe(false);
    expect(await planned(world)).toContain(`  ! ${text}`);
  });
});

it('records the series of a revision, and the ones that a hop leaves out', async () => {
  const world = tinyWorld();
  const of = (series: string, release: string) => tinySite({ series, release });
  await world.apply(of('2025.1', 'one'));
  const text = '  = series 2025.1 -> 2026.1, over 2025.2';
  expect(await planned(world, of('2026.1', 'two'))).toContain(text);
  await world.apply(of('2026.1', 'two'));
  const { record } = await statusNow(world.cluster, TINY);
  expect([record.series, record.hop]).toEqual([
    '2026.1',
    { from: '2025.1', to: '2026.1', between: ['2025.2'] },
  ]);
});

import { describe, expect, it } from 'vitest';
import { TINY, tinySite } from '#site/testing';
import { runAction } from '../actions/run-action.ts';
import { deployPlanLines } from '../plan/plan-text.ts';
import { makePlan } from '../plan/make-plan.ts';
import { readLedger } from '../record/ledger-store.ts';
import { outdatedJobs } from '../record/outdated-jobs.ts';
import { replacementsIn } from '../record/replacements.ts';
import { statusNow } from '../status/open-status.ts';
import { statusLines } from '../status/status-text.ts';
import { installed, plain, publish } from '../testing/tiny-looks.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';

const site = () => tinySite({ recovers: true });

const lines = async (world: TinyWorld): Promise<string[]> =>
  plain(statusLines(await statusNow(world.cluster, TINY, { clock: world.clock })));
const planned = async (world: TinyWorld): Promise<string[]> =>
  plain(deployPlanLines(await makePlan(world.cluster, TINY, site())));
const ran = async (world: TinyWorld): Promise<string[]> => {
  const before = Object.entries(await readLedger(world.cluster, TINY));
  expect(['good', 'unchanged']).toContain((await world.apply(site())).state);
  const old = new Map(before.map(([job, { at }]) => [job, at]));
  return Object.entries(await readLedger(world.cluster, TINY))
    .filter(([job, { at }]) => old.get(job) !== at)
    .map(([, { step }]) => step)
    .sort();
};
const ALL = [
  'web/job/contract',
  'web/job/expand',
  'web/job/migrate',
  'web/job/register',
  'web/setup/database',
];

/** A world whose Jobs ran with the data `one`. */
async function withData(): Promise<TinyWorld> {
  const world = tinyWorld();
  await world.apply(tinySite({ recovers: true, web: false }));
  await publish(world, 'data', 'one');
  await world.apply(site(), { contract: true });
  return world;
}

describe('new data', () => {
  it('is noted with each Job that depends on it', async () => {
    const world = await withData();
    const ledger = Object.values(await readLedger(world.cluster, TINY));
    expect(
      ledger
        .filter(({ data }) => data?.['StatefulSet/base'] === 'one')
        .map(({ step }) => step)
        .sort(),
    ).toEqual(ALL);
    expect(await ran(world)).toEqual([]);
  });

  it('makes these Jobs run again, and no others', async () => {
    const world = await withData();
    await publish(world, 'data', 'two');
    expect(await lines(world)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(
          /^ {2}\? web\/setup\/database .* must run again, by an apply: the data of StatefulSet\/base is new$/,
        ),
        '5 of 8 steps are not done',
      ]),
    );
    expect(await planned(world)).toContain(
      '  ! 5 Jobs run again: the data of StatefulSet/base is new',
    );
    expect(await ran(world)).toEqual(ALL);
    expect((await lines(world)).at(-1)).toBe('the site is healthy');
    expect(await ran(world)).toEqual([]);
  });

  it('is expected where no Job noted any', async () => {
    const world = await installed({ recovers: true });
    await publish(world, 'data', 'two');
    expect(await ran(world)).toEqual([]);
  });
});

describe('an action that replaces data', () => {
  it('makes Jobs run again after a good run, and after none that changed nothing', async () => {
    const world = await withData();
    const action = site().actions.find(({ id }) => id === 'base/recover')!;
    const recover = () =>
      runAction(
        world.cluster,
        TINY,
        { action, parameters: {}, revision: 1 },
        { by: 'tester@host', run: 'run x', clock: world.clock, emit: () => undefined },
      );
    world.behave({ 'base-recover': 'no-input' });
    await recover();
    expect(await ran(world)).toEqual([]);
    world.behave({});
    await recover();
    expect(await planned(world)).toContain(
      '  ! 5 Jobs run again: base/recover has replaced the data of StatefulSet/base in run 2',
    );
    expect(await ran(world)).toEqual(ALL);
    expect(await ran(world)).toEqual([]);
  });
});

describe('a good run of an earlier version of ccp', () => {
  it('makes the Jobs run again that ran before it, and trusts those that ran after it', async () => {
    const entries = Object.entries(await readLedger((await withData()).cluster, TINY));
    const at = '2026-05-01T12:00:00Z';
    const old = Object.fromEntries(
      entries.map(([job, { order: _, replaced: __, ...entry }]) => [job, { ...entry, at }]),
    );
    const outdated = (endedAt: string): number => {
      const run = { run: 4, action: 'base/recover', state: 'good', startedAt: endedAt, endedAt };
      const replacements = replacementsIn(site(), [run]);
      return outdatedJobs(site(), old, { home: TINY, ids: new Map(), replacements }).length;
    };
    expect(outdated('2026-05-01T12:30:00Z')).toBe(1);
    expect(outdated('2026-05-01T11:30:00Z')).toBe(0);
  });
});

describe('an unfinished run of an action that replaces data', () => {
  it('makes earlier Jobs run again: its Job may have ended since ccp was killed', async () => {
    const ledger = await readLedger((await withData()).cluster, TINY);
    const run = { run: 4, action: 'base/recover', state: 'running', startedAt: 'any time' };
    const replacements = replacementsIn(site(), [run]);
    expect(outdatedJobs(site(), ledger, { home: TINY, ids: new Map(), replacements })).toEqual([
      {
        reason: 'base/recover may have replaced the data of StatefulSet/base in run 4',
        jobs: Object.entries(ledger)
          .filter(([, { step }]) => ALL.includes(step))
          .map(([job]) => job)
          .sort(),
      },
    ]);
  });
});

describe('an action that becomes too old', () => {
  it('is a warning in the status until it runs', async () => {
    const world = await installed({ recovers: true });
    const age = async (): Promise<string> =>
      (await lines(world)).find((line) => line.includes('base/dump'))!;
    expect(await age()).toBe('  · base/dump  has not succeeded yet');
    await world.clock.sleep(7_300_000);
    expect(await age()).toBe('  ! base/dump  has not succeeded in 2 hours');
    expect((await lines(world)).at(-1)).toBe('the site is healthy');
    const action = site().actions.find(({ id }) => id === 'base/dump')!;
    await runAction(
      world.cluster,
      TINY,
      { action, parameters: { name: 'all', fast: false }, revision: 1 },
      { by: 'tester@host', run: 'run x', clock: world.clock, emit: () => undefined },
    );
    expect(await age()).toMatch(/^ {2}✓ base\/dump {2}last succeeded at 2026-.*Z$/);
    await world.clock.sleep(7_300_000);
    expect(await age()).toMatch(
      /^ {2}! base\/dump {2}last succeeded at 2026-.*Z, more than 2 hours ago$/,
    );
  });
});

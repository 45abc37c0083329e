import { describe, expect, it } from 'vitest';
import { readRecords } from '#rollout';
import { killingCluster } from '#rollout/testing';
import { TINY, tinySite, type TinySite } from '#site/testing';
import { operatorWorld, type OperatorWorld } from '../testing/operator-world.ts';
import { siteState } from '../testing/site-state.ts';

/** Number of random edits; raise it for a longer run. */
const EDITS = Number(process.env['CCP_OPERATOR_EDITS'] ?? 40);

/** Numbers in [0, 1) that a seed determines (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function randomSite(random: () => number): TinySite {
  const one = <T>(...values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  return {
    release: one('one', 'two', 'three'),
    colour: one('red', 'blue', 'green'),
    webs: one(1, 2, 3),
    bases: one(2, 3),
    lone: one(true, false),
    nightly: one(true, false),
  };
}

describe('the end state of the operator', () => {
  it('equals that of `ccp deploy apply` after random edits', { timeout: 600_000 }, async () => {
    const random = randomFrom(19);
    const [managed, byHand] = [operatorWorld(), operatorWorld()];
    for (let edit = 1; edit <= EDITS; edit++) {
      const site = randomSite(random);
      managed.put(site);
      await managed.settle();
      const { state } = await byHand.apply(tinySite(site));
      expect(state).toMatch(/^(good|unchanged)$/);
      expect(siteState(managed), `edit ${edit}: ${JSON.stringify(site)}`).toEqual(
        siteState(byHand),
      );
    }
  });

  const upgraded: TinySite = { release: 'two', colour: 'blue', bases: 3 };
  const rows: readonly (readonly [string, (world: OperatorWorld) => Promise<void>])[] = [
    ['an install', async (world) => world.put({})],
    [
      'an upgrade',
      async (world) => {
        world.put({});
        await world.settle();
        world.put(upgraded);
      },
    ],
    [
      'a rollback',
      async (world) => {
        world.put({}, { rollback: 'onFailure' });
        await world.settle();
        world.behave({ web: 'crashes' });
        world.put(upgraded, { rollback: 'onFailure' });
        await world.pass();
        world.behave({});
      },
    ],
  ];

  it.each(rows)(
    'is the same after a kill at any write of %s',
    { timeout: 300_000 },
    async (_, prepare) => {
      const prepared = operatorWorld();
      await prepare(prepared);
      const whole = operatorWorld(prepared);
      await whole.settle();
      const wanted = siteState(whole);
      const records = (await readRecords(whole.cluster, TINY)).map(({ state }) => state);
      let kills = 0;
      for (; ; kills++) {
        const world = operatorWorld(prepared);
        const { cluster, killed } = killingCluster(world.cluster, kills);
        await world.settle(cluster).catch(() => undefined);
        if (!killed()) break;
        await world.settle();
        expect(siteState(world), `killed at write ${kills}`).toEqual(wanted);
        expect((await readRecords(world.cluster, TINY)).map(({ state }) => state)).toEqual(records);
      }
      expect(kills).toBeGreaterThan(10);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { endState, killingCluster } from '../testing/killing-cluster.ts';
import { tinySite } from '../testing/tiny-site.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';

/** Runs `after` from a fresh world prepared by `before`, once through and once killed at each of its writes; both must end alike. */
async function surviveEveryKill(before: (world: TinyWorld) => Promise<unknown>, after: Parameters<TinyWorld['apply']>[0], contract = false): Promise<number> {
  const whole = tinyWorld();
  await before(whole);
  const start = whole.cluster.writes.length;
  expect((await whole.apply(after, { contract })).state).toBe('good');
  const wanted = endState(whole.cluster);
  const writes = whole.cluster.writes.slice(start).length;
  let survived = 0;
  for (let at = 0; at < writes + 5; at++) {
    for (const when of ['before', 'after'] as const) {
      const world = tinyWorld();
      await before(world);
      const { cluster, killed } = killingCluster(world.cluster, at, when);
      await world.apply(after, { contract }, cluster).catch(() => undefined);
      if (!killed()) continue;
      const again = await world.apply(after, { contract });
      expect(again.state, `killed ${when} write ${at}`).toMatch(/^(good|unchanged)$/);
      expect(endState(world.cluster), `killed ${when} write ${at}`).toEqual(wanted);
      survived++;
    }
  }
  return survived;
}

describe('a run that is killed at any write, and run again', () => {
  it('ends where an install ends', async () => {
    expect(await surviveEveryKill(async () => undefined, tinySite())).toBeGreaterThan(60);
  });

  it('ends where an upgrade ends', async () => {
    expect(await surviveEveryKill((world) => world.apply(tinySite()), tinySite({ release: 'two', colour: 'blue' }))).toBeGreaterThan(20);
  });

  it('ends where a rollback ends', async () => {
    const before = async (world: TinyWorld): Promise<void> => {
      await world.apply(tinySite());
      await world.apply(tinySite({ release: 'two', colour: 'blue' }));
    };
    expect(await surviveEveryKill(before, tinySite())).toBeGreaterThan(10);
  });
});

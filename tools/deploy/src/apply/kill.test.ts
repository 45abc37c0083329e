import { describe, expect, it } from 'vitest';
import type { Cluster } from '#ports';
import { readRecords } from '../record/record-store.ts';
import { findRollback } from '../record/rollback.ts';
import { endState, killingCluster } from '../testing/killing-cluster.ts';
import { TINY, tinySite } from '../testing/tiny-site.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';
import type { DeployResult } from './apply-plan.ts';

type Run = (world: TinyWorld, cluster?: Cluster) => Promise<DeployResult>;

const install: Run = (world, cluster) => world.apply(tinySite(), {}, cluster);
const upgrade: Run = (world, cluster) => world.apply(tinySite({ release: 'two', colour: 'blue', bases: 3 }), {}, cluster);
const rollback: Run = async (world, cluster = world.cluster) => {
  // Once it has ended well, going back again would be a new wish; a killed run was just not told of its end.
  const latest = (await readRecords(cluster, TINY)).at(-1);
  const { record, rendered } = await findRollback(cluster, TINY, latest?.state === 'good' ? latest.rollbackTo : undefined);
  return await world.apply(rendered, { rollbackTo: record.revision }, cluster);
};

/** Number of kills after which `run`, done once more, ended as it ends undisturbed. Killed before write n is killed after write n - 1. */
async function survivedKills(before: readonly Run[], run: Run): Promise<number> {
  const prepare = async (): Promise<TinyWorld> => {
    const world = tinyWorld();
    for (const each of before) await each(world);
    return world;
  };
  const whole = await prepare();
  expect((await run(whole)).state).toBe('good');
  const wanted = endState(whole.cluster);
  for (let at = 0; ; at++) {
    const world = await prepare();
    const { cluster, killed } = killingCluster(world.cluster, at);
    await run(world, cluster).catch(() => undefined);
    if (!killed()) return at;
    expect((await run(world)).state, `killed after write ${at}`).toMatch(/^(good|unchanged)$/);
    expect(endState(world.cluster), `killed after write ${at}`).toEqual(wanted);
  }
}

describe('a run that is killed after any of its writes, and run again', () => {
  it('ends where an install ends', { timeout: 60_000 }, async () => {
    expect(await survivedKills([], install)).toBeGreaterThan(30);
  });

  it('ends where an upgrade ends', { timeout: 60_000 }, async () => {
    expect(await survivedKills([install], upgrade)).toBeGreaterThan(15);
  });

  it('ends where a rollback ends', { timeout: 60_000 }, async () => {
    expect(await survivedKills([install, upgrade], rollback)).toBeGreaterThan(10);
  });
});

import { describe, expect, it } from 'vitest';
import { TINY, tinySite } from '#site/testing';
import { readRuns } from '../record/run-store.ts';
import { makePlan } from '../plan/make-plan.ts';
import { deployPlanLines } from '../plan/plan-text.ts';
import { killingCluster } from '../testing/killing-cluster.ts';
import { installed, named, plain, writesOf } from '../testing/tiny-looks.ts';
import type { TinyWorld } from '../testing/tiny-world.ts';
import { resultLines } from './result-text.ts';

const site = (bases: number) => ({ bases, leave: true }) as const;
const runs = async ({ cluster }: TinyWorld): Promise<string[]> =>
  (await readRuns(cluster, TINY)).map(({ action, state }) => `${action} ${state}`);
const replicas = (world: TinyWorld): unknown =>
  (named(world, 'StatefulSet', 'base')['spec'] as { replicas: number }).replicas;

describe('a workload whose pods leave by an action', () => {
  it('is scaled down after the action succeeded with the new number', async () => {
    const world = await installed(site(3));
    expect(deployPlanLines(await makePlan(world.cluster, TINY, tinySite(site(1))))).toContain(
      '  ! base/part runs before StatefulSet/base is scaled from 3 pods to 1',
    );
    let before: unknown;
    await world.apply(tinySite(site(1)), {
      emit: (event) =>
        event.type === 'step-ended' &&
        event.step === 'action base/part' &&
        (before = replicas(world)),
    });
    expect([before, replicas(world)]).toEqual([3, 1]);
    expect(named(world, 'Job', 'base-part')['spec']).toMatchObject({
      template: { spec: { containers: [{ command: ['part', '1'] }] } },
    });
    expect(await runs(world)).toEqual(['base/part good']);
  });

  it('keeps its pods and reports the reason if the action fails', async () => {
    const world = await installed(site(3));
    world.behave({ 'base-part': 'crashes' });
    const result = await world.apply(tinySite(site(1)));
    expect(replicas(world)).toBe(3);
    expect(plain(resultLines(result)).join('\n')).toContain(
      'StatefulSet/base keeps its 3 pods, because base/part, which must run before it is scaled to 1, failed: 3 of its pods failed; pod base-part-#-0: container "part" exited with code 3',
    );
    world.behave({});
    expect((await world.apply(tinySite(site(1)))).state).toBe('good');
    expect(await runs(world)).toEqual(['base/part failed', 'base/part good']);
  });

  it.each([
    [2, 3],
    [2, 2],
    [2, 0],
    [0, 2],
  ])('is scaled from %i to %i without the action', async (from, to) => {
    const world = await installed(site(from));
    await world.apply(tinySite({ ...site(to), colour: 'blue' }));
    expect([replicas(world), await runs(world)]).toEqual([to, []]);
  });

  it('is stopped without the action, and the plan says so', async () => {
    const world = await installed(site(3));
    expect(deployPlanLines(await makePlan(world.cluster, TINY, tinySite(site(0))))).toContain(
      '  ! StatefulSet/base is scaled from 3 pods to 0, which stops it: base/part does not run, members and claims are kept, and it must start again with 3',
    );
  });

  describe('that is stopped', () => {
    const off = async (claim = true): Promise<TinyWorld> => {
      const world = await installed(site(3));
      if (claim)
        await world.cluster.apply(
          {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: { name: 'data-base-0', namespace: TINY.namespace },
          },
          { fieldManager: 'test' },
        );
      for (const colour of ['blue', 'green']) await world.apply(tinySite({ ...site(0), colour }));
      return world;
    };

    it('does not start again with fewer pods, since they would wait for the missing members', async () => {
      const world = await off();
      const writes = await writesOf(world, () =>
        expect(world.apply(tinySite(site(1)))).rejects.toMatchObject({
          code: 'deploy-refused',
          message:
            'StatefulSet/base cannot be applied: it was stopped with 3 members, and 1 pod would wait at the start for the other 2 members',
          hint: 'apply it with 3 pods first, and with 1 once those are ready',
        }),
      );
      expect(writes).toEqual([]);
      expect(deployPlanLines(await makePlan(world.cluster, TINY, tinySite(site(1))))).toContain(
        '  x StatefulSet/base it was stopped with 3 members, and 1 pod would wait at the start for the other 2 members',
      );
      expect((await world.apply(tinySite(site(3)))).state).toBe('good');
      expect((await world.apply(tinySite(site(1)))).state).toBe('good');
    });

    it.each([
      [4, true],
      [1, false],
    ])('starts again with %i pods if its claim was kept: %s', async (bases, claim) => {
      const world = await off(claim);
      expect((await world.apply(tinySite(site(bases)))).state).toBe('good');
      expect(replicas(world)).toBe(bases);
    });
  });

  it('is not scaled down in the same apply that replaces a Secret of its members', async () => {
    const world = await installed({ ...site(3), cookie: 1 });
    const writes = await writesOf(world, () =>
      expect(world.apply(tinySite({ ...site(1), cookie: 2 }))).rejects.toMatchObject({
        message:
          'StatefulSet/base cannot be applied: it would be scaled from 3 pods to 1 and get another base-cookie-g2 in one apply, and base/part cannot reach the running pods',
        hint: 'apply the changes in turn: first the number of pods, then the rest',
      }),
    );
    expect(writes).toEqual([]);
    for (const next of [
      { ...site(1), cookie: 1 },
      { ...site(1), cookie: 2 },
      { ...site(3), cookie: 3 },
      { ...site(0), cookie: 4 },
    ])
      expect((await world.apply(tinySite(next))).state).toBe('good');
    expect(await runs(world)).toEqual(['base/part good']);
  });

  it('reaches the same state whenever ccp is killed', async () => {
    for (let at = 0; ; at++) {
      const world = await installed(site(3));
      const { cluster, killed } = killingCluster(world.cluster, at);
      await world.apply(tinySite(site(1)), {}, cluster).catch(() => undefined);
      if (!killed()) return expect(at).toBeGreaterThan(6);
      const running = await runs(world);
      expect(
        replicas(world) === 1 ? running : ['base/part good'],
        `killed after write ${at}`,
      ).toEqual(['base/part good']);
      expect((await world.apply(tinySite(site(1)))).state, `killed after write ${at}`).toMatch(
        /^(good|unchanged)$/,
      );
      expect([replicas(world), (await runs(world)).at(-1)]).toEqual([1, 'base/part good']);
    }
  });
});

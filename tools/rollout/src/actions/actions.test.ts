import { describe, expect, it } from 'vitest';
import { parameterFault } from '#definitions/deploy';
import { parseParameters } from '#site';
import { TINY, tinySite } from '#site/testing';
import { virtualClock } from '#ports/testing';
import { deleteSite } from '../apply/delete-site.ts';
import { checkLines } from '../apply/result-text.ts';
import { openStatus } from '../status/open-status.ts';
import { statusLines } from '../status/status-text.ts';
import { killingCluster } from '../testing/killing-cluster.ts';
import { installed, named, plain, writesOf } from '../testing/tiny-looks.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';
import { findAction } from './find-action.ts';
import { checkRequests, runAction, runChecks } from './run-action.ts';
import type { ActionResult } from './run-as-job.ts';
import { readRuns } from '../record/run-store.ts';

const dump = tinySite().actions.find(({ id }) => id === 'base/dump')!;
const options = (world: TinyWorld, clock = world.clock) => ({
  by: 'tester@host',
  run: 'run x',
  clock,
  emit: () => undefined,
});
const run = (
  world: TinyWorld,
  name = 'all',
  cluster: TinyWorld['cluster'] | ReturnType<typeof killingCluster>['cluster'] = world.cluster,
): Promise<ActionResult> =>
  runAction(
    cluster,
    TINY,
    {
      action: dump,
      parameters: parseParameters(dump, [`name=${name}`], parameterFault),
      revision: 1,
    },
    options(world),
  );
const jobs = (world: TinyWorld): string[] =>
  plain(
    world.cluster.store
      .all()
      .filter(({ kind, metadata }) => kind === 'Job' && metadata.name.startsWith('base-dump'))
      .map(({ metadata }) => metadata.name),
  );
const history = async (world: TinyWorld): Promise<string[]> =>
  (await readRuns(world.cluster, TINY)).map(
    ({ run: number, action, state, parameters }) =>
      `${number} ${action} ${state} ${JSON.stringify(parameters)}`,
  );

describe('an action', () => {
  it('runs with its values as a Job of its own each time, keeps its claim, and is listed in the history', async () => {
    const world = await installed();
    expect((await run(world)).run).toMatchObject({
      run: 1,
      state: 'good',
      parameters: { fast: false, name: 'all' },
    });
    expect(named(world, 'Job', 'base-dump')['spec']).toMatchObject({
      backoffLimit: 0,
      template: {
        spec: {
          containers: [
            {
              command: ['dump', '--to=$(CCP_PARAMETER_NAME)'],
              env: [
                { name: 'CCP_PARAMETER_FAST', value: 'false' },
                { name: 'CCP_PARAMETER_NAME', value: 'all' },
                { name: 'FAST', value: '$(CCP_PARAMETER_FAST)' },
              ],
            },
          ],
        },
      },
    });
    expect(named(world, 'PersistentVolumeClaim', 'base-dumps')).toBeDefined();
    await run(world);
    expect(jobs(world)).toEqual(['base-dump-#', 'base-dump-#']);
    expect(await history(world)).toEqual([
      '1 base/dump good {"fast":false,"name":"all"}',
      '2 base/dump good {"fast":false,"name":"all"}',
    ]);
    expect(await writesOf(world, () => world.apply(tinySite()))).toEqual([]);
    const { kept } = await deleteSite(world.cluster, TINY, {
      ...options(world),
      claims: false,
      secrets: false,
    });
    expect(kept).toContain('PersistentVolumeClaim/base-dumps');
    expect(jobs(world)).toEqual([]);
  });

  it('runs a failing action once and reports its output', async () => {
    const world = await installed();
    world.behave({ 'base-dump': 'crashes' });
    const { run: record, failure } = await run(world);
    expect(record).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining('container "dump" exited with code 3'),
    });
    expect(failure?.log).toEqual(['starting', expect.stringContaining('no such table')]);
  });

  it('continues a run of a killed ccp, whichever write was the last', async () => {
    for (let at = 0; ; at++) {
      const world = await installed();
      const { cluster, killed } = killingCluster(world.cluster, at);
      await run(world, 'all', cluster).catch(() => undefined);
      if (!killed()) return expect(at).toBeGreaterThan(4);
      const again = await run(world);
      expect(again.run.state, `killed after write ${at}`).toBe('good');
      // Killed after its end was written, the same words are a new wish.
      expect(new Set(jobs(world)).size + (again.run.run - 1), `killed after write ${at}`).toBe(
        again.run.run,
      );
    }
  });

  it('does not wait for a run that changes the site', async () => {
    const world = await installed();
    const { takeLock } = await import('../session/lock.ts');
    const lock = await takeLock(world.cluster, TINY, {
      holder: 'anna@desk (run 7)',
      clock: world.clock,
      emit: () => undefined,
    });
    await expect(run(world)).rejects.toThrow('anna@desk (run 7) is changing the site "tiny" now');
    await lock.release();
  });
});

describe('if the newest revision has failed', () => {
  const failed = async (): Promise<TinyWorld> => {
    const world = await installed();
    world.behave({ web: 'no-image' });
    await world.apply(tinySite({ release: 'two', size: '2Gi' }));
    return world;
  };
  const find = async (world: TinyWorld, wanted?: number): Promise<string> => {
    const { action, revision } = await findAction(world.cluster, TINY, 'base/dump', wanted);
    return `${JSON.stringify(action.claims[0]!['spec']).match(/\dGi/)![0]} of ${revision}`;
  };

  it('requires --revision if the action changed since the last good revision', async () => {
    const world = await failed();
    await expect(find(world)).rejects.toMatchObject({
      message: 'revision 2 has failed, and base/dump is different in revision 1, the last good one',
      hint: 'choose the revision to run: --revision 1, or --revision 2 if the pods of app base already run it',
    });
    expect([await find(world, 1), await find(world, 2)]).toEqual(['1Gi of 1', '2Gi of 2']);
    await expect(find(world, 3)).rejects.toThrow('revision 3 has no record');
  });

  it('runs an unchanged action, and any action before the first good revision', async () => {
    const world = await installed();
    world.behave({ web: 'no-image' });
    await world.apply(tinySite({ release: 'two' }));
    expect(await find(world)).toBe('1Gi of 2');
    const first = tinyWorld();
    first.behave({ web: 'no-image' });
    await first.apply(tinySite());
    expect(await find(first)).toBe('1Gi of 1');
    await expect(findAction(first.cluster, TINY, 'base/dupm')).rejects.toMatchObject({
      message: 'base has no action "dupm"',
      hint: 'did you mean "base dump"?',
    });
  });
});

describe('parameters', () => {
  it.each<[readonly string[], string]>([
    [[], 'base/dump: "name" is required: Its name.'],
    [['name'], 'base/dump: "name" is not a parameter'],
    [['nam=x'], 'base/dump: unknown parameter "nam"'],
    [['name=../x'], 'base/dump: "name" must match [a-z]+, not "../x"'],
    [
      ['name=a\nb'],
      'base/dump: "name" must not contain line breaks or other control characters, not "a\\nb"',
    ],
    [['name=x', 'fast=very'], 'base/dump: "fast" must be true or false, not "very"'],
    [['name=a', 'fast=true', 'name=b'], 'base/dump: "name" is set twice'],
    [['constructor=x'], 'base/dump: unknown parameter "constructor"'],
  ])('%j is refused', (texts, message) => {
    expect(() => parseParameters(dump, texts, parameterFault)).toThrow(message);
  });
});

describe('checks', () => {
  it('shows the result of a check in the status of this revision', async () => {
    const world = await installed();
    const look = async (): Promise<string[]> => {
      const open = await openStatus(world.cluster, TINY, virtualClock());
      const lines = statusLines(await open.now());
      await open.close();
      return lines.slice(-2);
    };
    const check = async () =>
      checkLines(
        await runChecks(world.cluster, TINY, checkRequests(tinySite(), 1), options(world)),
      );
    expect(await look()).toEqual(['  · check base/ping  has not run yet', 'the site is healthy']);
    expect(await check()).toEqual(['check base/ping is good']);
    expect(await look()).toEqual([
      expect.stringMatching(/^ {2}✓ check base\/ping {2}good at 2026-/),
      'the site is healthy',
    ]);
    world.behave({ 'base-ping': 'crashes' });
    expect(plain(await check())).toEqual(
      expect.arrayContaining([
        'x Job/base-ping-# 3 of its pods failed; pod base-ping-#-0: container "ping" exited with code 3',
        'check base/ping failed',
      ]),
    );
    expect(await look()).toEqual([
      expect.stringMatching(/^ {2}x check base\/ping {2}failed at .*exited with code 3$/),
      'a check has failed',
    ]);
  });
});

import { describe, expect, it } from 'vitest';
import { refOf, type SchemaRevisions } from '#site';
import { TINY, tinySite, type TinySite } from '#site/testing';
import type { ActionResult } from '../actions/run-as-job.ts';
import { makePlan } from '../plan/make-plan.ts';
import { deployPlanLines } from '../plan/plan-text.ts';
import { findRollback } from '../record/rollback.ts';
import { readRuns } from '../record/run-store.ts';
import { statusNow } from '../status/open-status.ts';
import { statusLines } from '../status/status-text.ts';
import { killingCluster } from '../testing/killing-cluster.ts';
import { installed, named, plain, writesOf } from '../testing/tiny-looks.ts';
import type { TinyWorld } from '../testing/tiny-world.ts';
import { replaceData } from './replace-data.ts';

const FIRST: SchemaRevisions = { a: {} };
const DROPS: SchemaRevisions = {
  ...FIRST,
  b: {
    file: 'web/versions/two.py',
    changes: [{ class: 'destructive', text: 'drops a column', line: 12 }],
  },
};
const OLD = 'reports {"schemas":{"web":["a"]}}';
const NEW = 'reports {"schemas":{"web":["b"]}}';

const site = (wanted: TinySite = {}) => tinySite({ recovers: true, ...wanted });
const restore = async (
  world: TinyWorld,
  wanted: TinySite = {},
  {
    cluster = world.cluster,
    clock = world.clock,
    signal,
  }: Partial<Pick<TinyWorld, 'clock'>> & {
    readonly signal?: AbortSignal;
    readonly cluster?: Parameters<typeof replaceData>[0];
  } = {},
): Promise<ActionResult> => {
  const rendered = site(wanted);
  const action = rendered.actions.find(({ id }) => id === 'base/recover')!;
  const options = {
    by: 'tester@host',
    run: 'run x',
    clock,
    emit: () => undefined,
    ...(signal === undefined ? {} : { signal }),
  };
  return await replaceData(
    cluster,
    TINY,
    rendered,
    { action, parameters: {}, revision: 1 },
    options,
  );
};
const last = async (world: TinyWorld): Promise<string> =>
  plain(statusLines(await statusNow(world.cluster, TINY, { clock: world.clock }))).at(-1)!;

describe('an action that replaces data', () => {
  it('stops the workloads that use the data and suspends schedules, which an apply starts again', async () => {
    const world = await installed({ recovers: true, nightly: true, lone: true });
    const wanted = { nightly: true, lone: true };
    expect(site(wanted).actions.find(({ id }) => id === 'base/recover')!.stops).toEqual([
      'CronJob/base-nightly',
      'Deployment/web',
    ]);
    const writes = await writesOf(world, () => restore(world, wanted));
    const [job, ...before] = plain(writes)
      .filter((write) => !write.includes('ConfigMap'))
      .reverse();
    expect([job, before.sort()]).toEqual([
      'apply batch/v1 Job cloud/base-recover-#',
      ['apply batch/v1 CronJob cloud/base-nightly', 'delete apps/v1 Deployment cloud/web'],
    ]);
    expect(named(world, 'Deployment', 'web')).toBeUndefined();
    expect(named(world, 'CronJob', 'base-nightly')['spec']).toMatchObject({ suspend: true });
    expect((await world.apply(site(wanted))).state).toBe('good');
    expect(named(world, 'Deployment', 'web')['status']).toMatchObject({ availableReplicas: 2 });
    expect(named(world, 'CronJob', 'base-nightly')['spec']).not.toHaveProperty('suspend');
    expect(await last(world)).toBe('the site is healthy');
  });

  it('stops Jobs that depend on the data and run, such as a migration after a failed upgrade', async () => {
    const world = await installed({ recovers: true });
    const job = named(world, 'Job', 'web-migrate');
    world.cluster.setStatus(refOf(job), { active: 1 });
    const writes = await writesOf(world, () => restore(world));
    expect(plain(writes.filter((write) => /^delete .* Job /.test(write)))).toEqual([
      'delete batch/v1 Job cloud/web-migrate-#',
    ]);
    expect((await world.apply(site())).state).toBe('good');
  });

  it('stops agents of nodes if they use the data', async () => {
    const agents = { agent: 'one', onNode: true };
    const world = await installed({ recovers: true, ...agents });
    const writes = await writesOf(world, () => restore(world, agents));
    expect(writes).toContain('delete apps/v1 DaemonSet cloud-node/agent');
    expect((await world.apply(site(agents))).state).toBe('good');
    expect(await last(world)).toBe('the site is healthy');
  });

  it('stops the running Jobs of schedules, and keeps finished ones and those of others', async () => {
    const world = await installed({ recovers: true, nightly: true });
    const { uid } = named(world, 'CronJob', 'base-nightly').metadata;
    const put = (name: string, owner: string, status: object): void =>
      void world.cluster.store.put(
        { apiVersion: 'batch/v1', kind: 'Job', namespace: TINY.namespace, name },
        {
          object: {
            metadata: {
              ownerReferences: [
                { apiVersion: 'batch/v1', kind: 'CronJob', name: 'base-nightly', uid: owner },
              ],
            },
            spec: { template: { spec: { containers: [] } } },
            status,
          },
          owners: [],
        },
      );
    put('nightly-1', uid, { conditions: [{ type: 'Complete', status: 'True' }] });
    put('nightly-2', uid, { active: 1 });
    put('other-1', 'another', { active: 1 });
    const writes = await writesOf(world, () => restore(world, { nightly: true }));
    expect(writes.filter((write) => /^delete .*(nightly|other)/.test(write))).toEqual([
      'delete batch/v1 Job cloud/nightly-2',
    ]);
  });

  it('that failed is in the status, and blocks applies until a run is good', async () => {
    const world = await installed({ recovers: true });
    world.behave({ 'base-recover': 'crashes' });
    expect((await restore(world)).run).toMatchObject({ state: 'failed', incomplete: true });
    const text = 'base/recover failed in run 1, so the data of StatefulSet/base may be incomplete';
    const status = plain(statusLines(await statusNow(world.cluster, TINY, { clock: world.clock })));
    expect(status).toContain(
      `  x ${text}: run it again with ccp deploy action run tiny base recover`,
    );
    expect(status.at(-1)).toMatch(/data may be incomplete$/);
    expect(deployPlanLines(await makePlan(world.cluster, TINY, site()))).toContain(`  x ${text}`);
    const writes = await writesOf(world, () =>
      expect(world.apply(site())).rejects.toMatchObject({
        code: 'deploy-data-incomplete',
        message: `the site cannot be applied: ${text}`,
        hint: 'run the action again, with the same parameters or with another backup: ccp deploy action run tiny base recover',
      }),
    );
    expect(writes).toEqual([]);
    world.behave({});
    expect((await restore(world)).run.state).toBe('good');
    expect((await world.apply(site())).state).toBe('good');
    expect(await last(world)).toBe('the site is healthy');
  });

  it('stops nothing before its check has succeeded', async () => {
    const wanted = { prechecks: true, nightly: true };
    const world = await installed({ recovers: true, ...wanted });
    world.behave({ 'base-probe': 'crashes' });
    const writes = await writesOf(world, async () => {
      const { run, failure } = await restore(world, wanted);
      expect([run.action, run.state, run.incomplete]).toEqual(['base/probe', 'failed', undefined]);
      expect(failure?.reason).toMatch(/container "probe" exited with code 3$/);
    });
    expect(plain(writes).filter((write) => !write.includes('ConfigMap'))).toEqual([
      'apply batch/v1 Job cloud/base-probe-#',
    ]);
    expect(await last(world)).toBe('the site is healthy');
    world.behave({});
    expect((await restore(world, wanted)).run).toMatchObject({
      action: 'base/recover',
      state: 'good',
    });
    expect(named(world, 'Deployment', 'web')).toBeUndefined();
  });

  it('is continued without its check', async () => {
    const world = await installed({ recovers: true, prechecks: true });
    world.behave({ 'base-recover': 'hangs' });
    const stop = new AbortController();
    const running = restore(world, { prechecks: true }, { signal: stop.signal });
    while (named(world, 'Job', 'base-recover') === undefined)
      await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect((await running).run.state).toBe('running');
    world.behave({ 'base-probe': 'crashes', 'base-recover': 'crashes' });
    const writes = await writesOf(world, async () => {
      const again = new AbortController();
      setTimeout(() => again.abort(), 50);
      expect(
        (await restore(world, { prechecks: true }, { signal: again.signal })).run,
      ).toMatchObject({ action: 'base/recover' });
    });
    expect(writes.some((write) => write.includes('base-probe'))).toBe(false);
  });

  it('that changed nothing blocks no apply', async () => {
    const world = await installed({ recovers: true });
    world.behave({ 'base-recover': 'no-input' });
    const { run } = await restore(world);
    expect([run.state, run.incomplete]).toEqual(['failed', undefined]);
    expect((await world.apply(site())).state).toBe('good');
  });

  it('continues after ccp was killed at any write', async () => {
    for (let at = 0; ; at++) {
      const world = await installed({ recovers: true });
      const { cluster, killed } = killingCluster(world.cluster, at);
      await restore(world, {}, { cluster }).catch(() => undefined);
      if (!killed()) return expect(at).toBeGreaterThan(4);
      expect((await restore(world)).run.state, `killed after write ${at}`).toBe('good');
      expect((await world.apply(site())).state).toBe('good');
      expect(await last(world)).toBe('the site is healthy');
    }
  });

  it('makes no decision by clocks: a run counts whose times are in the past', async () => {
    const world = await installed({ recovers: true });
    const old = { ...world.clock, now: () => world.clock.now() - 86_400_000 };
    await restore(world, {}, { clock: old });
    const plan = await makePlan(world.cluster, TINY, site());
    expect(plan.outdated).toMatchObject([
      { reason: 'base/recover has replaced the data of StatefulSet/base in run 1' },
    ]);
  });
});

describe('a rollback after a destructive upgrade', () => {
  const upgraded = async (): Promise<TinyWorld> => {
    const world = await installed({ recovers: true, migrations: FIRST });
    const two = site({ release: 'two', migrations: DROPS });
    expect((await world.apply(two, { contract: true })).state).toBe('good');
    return world;
  };
  const refusal = { code: 'deploy-rollback-impossible' };
  const two: TinySite = { release: 'two', migrations: DROPS };

  it('is refused without a restore', async () => {
    const world = await upgraded();
    await expect(findRollback(world.cluster, TINY)).rejects.toMatchObject(refusal);
  });

  it('is possible if a backup from before the upgrade was restored', async () => {
    const world = await upgraded();
    world.behave({ 'base-recover': OLD });
    await restore(world, two);
    expect((await readRuns(world.cluster, TINY)).at(-1)).toMatchObject({
      schemas: { web: ['a'] },
    });
    const { record, rendered } = await findRollback(world.cluster, TINY);
    expect(record.revision).toBe(1);
    expect((await world.apply(rendered, { rollbackTo: 1 })).state).toBe('good');
    expect(await last(world)).toBe('the site is healthy');
    // The next upgrade runs its migrations again, and then rules out a rollback again.
    expect((await world.apply(site(two))).state).toBe('good');
    await expect(findRollback(world.cluster, TINY)).rejects.toMatchObject(refusal);
  });

  it('is refused if the backup has the new schema', async () => {
    const world = await upgraded();
    world.behave({ 'base-recover': NEW });
    await restore(world, two);
    await expect(findRollback(world.cluster, TINY)).rejects.toMatchObject(refusal);
    await expect(world.apply(site({ migrations: FIRST }))).rejects.toMatchObject({
      code: 'deploy-older',
    });
  });

  it('is refused if the restore did not report the schema', async () => {
    const world = await upgraded();
    await restore(world, two);
    await expect(findRollback(world.cluster, TINY)).rejects.toMatchObject(refusal);
  });

  it('is refused if an apply has migrated the restored data', async () => {
    const world = await upgraded();
    world.behave({ 'base-recover': OLD });
    await restore(world, two);
    expect((await world.apply(site(two))).state).toBe('good');
    await expect(findRollback(world.cluster, TINY)).rejects.toMatchObject(refusal);
  });
});

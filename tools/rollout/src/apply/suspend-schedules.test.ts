import { describe, expect, it } from 'vitest';
import type { RenderedSite, SchemaRevisions } from '#site';
import { TINY, tinySite, type TinySite } from '#site/testing';
import { makePlan } from '../plan/make-plan.ts';
import { deployPlanLines } from '../plan/plan-text.ts';
import { findRollback } from '../record/rollback.ts';
import { killingCluster } from '../testing/killing-cluster.ts';
import { named, plain } from '../testing/tiny-looks.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';

const FIRST: SchemaRevisions = { a: {} };
const ADDS: SchemaRevisions = { ...FIRST, b: {} };
const DROPS: SchemaRevisions = {
  ...FIRST,
  b: {
    file: 'web/versions/two.py',
    changes: [{ class: 'destructive', text: 'drops a column', line: 12 }],
  },
};

/** The site with a schedule of web and one of base. */
function site(migrations: SchemaRevisions, wanted: TinySite = {}): RenderedSite {
  const rendered = tinySite({ nightly: true, migrations, ...wanted });
  const nightly = rendered.steps.find(({ id }) => id === 'base/schedule/nightly')!;
  const text = JSON.stringify(nightly)
    .replaceAll('base/schedule/', 'web/schedule/')
    .replaceAll('base-nightly', 'web-nightly')
    .replaceAll('"instance":"base"', '"instance":"web"')
    .replaceAll('/instance":"base"', '/instance":"web"')
    .replaceAll(/"waitsFor":\[[^\]]*\]/g, '"waitsFor":["web/workload/web","web/job/register"]');
  const wave = Math.max(...rendered.steps.map((step) => step.wave)) + 1;
  return { ...rendered, steps: [...rendered.steps, { ...JSON.parse(text), wave }] };
}

async function installed(): Promise<TinyWorld> {
  const world = tinyWorld();
  expect((await world.apply(site(FIRST))).state).toBe('good');
  return world;
}

const isSuspended = (world: TinyWorld, name: string): unknown =>
  (named(world, 'CronJob', name)['spec'] as { readonly suspend?: boolean }).suspend === true;

/** Whether the CronJobs of web and base are suspended whenever a migration of web is written. */
function during(world: TinyWorld): Set<string> {
  const seen = new Set<string>();
  const finished = new Set(jobs(world));
  world.cluster.store.listen(() => {
    for (const job of jobs(world).filter((name) => !finished.has(name))) {
      const state = ['web', 'base'].map((app) => isSuspended(world, `${app}-nightly`));
      seen.add(`${job.replace(/-[0-9a-f]+$/, '')} ${state.join(' ')}`);
      finished.add(job);
    }
  });
  return seen;
}

function jobs(world: TinyWorld): string[] {
  return world.cluster.store
    .all()
    .filter(({ kind, metadata }) => kind === 'Job' && /^web-(expand|migrate)/.test(metadata.name))
    .map(({ metadata }) => metadata.name);
}

const SEEN = new Set(['web-expand true false', 'web-migrate true false']);

describe('the CronJobs of a service', () => {
  it.each([
    ['additive', ADDS],
    ['destructive', DROPS],
  ])('are suspended during its %s migrations, and resumed after them', async (_, migrations) => {
    const world = await installed();
    const two = site(migrations, { release: 'two' });
    const lines = plain(deployPlanLines(await makePlan(world.cluster, TINY, two)));
    expect(lines).toContain('  ~ CronJob/web-nightly is suspended during the migrations of web');
    const seen = during(world);
    expect((await world.apply(two)).state).toBe('good');
    expect(seen).toEqual(SEEN);
    expect(isSuspended(world, 'web-nightly')).toBe(false);
    expect((await world.apply(two)).state).toBe('unchanged');
  });

  it.each([
    ['stay during additive', ADDS, true],
    ['are deleted before destructive', DROPS, false],
  ])('have running Jobs, which %s migrations', async (_, migrations, stays) => {
    const world = await installed();
    world.behave({ 'web-nightly-1': 'hangs' });
    const { metadata, spec } = named(world, 'CronJob', 'web-nightly');
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name: metadata.name };
    await world.cluster.apply(
      {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: {
          name: 'web-nightly-1',
          namespace: TINY.namespace,
          ownerReferences: [{ ...owner, uid: metadata.uid }],
        },
        spec: (spec as { jobTemplate: { spec: object } }).jobTemplate.spec,
      } as never,
      { fieldManager: 'kube-controller-manager' },
    );
    expect((await world.apply(site(migrations, { release: 'two' }))).state).toBe('good');
    expect(named(world, 'Job', 'web-nightly-1') !== undefined).toBe(stays);
  });

  it('stay suspended while migrations fail, and are resumed by the next apply or a rollback', async () => {
    for (const next of ['apply', 'rollback']) {
      const world = await installed();
      const two = site(ADDS, { release: 'two' });
      world.behave({ 'web-migrate': 'crashes' });
      expect((await world.apply(two)).state).toBe('failed');
      expect(isSuspended(world, 'web-nightly')).toBe(true);
      world.behave({});
      const { rendered, record } = await findRollback(world.cluster, TINY);
      const again =
        next === 'apply'
          ? await world.apply(two)
          : await world.apply(rendered, { rollbackTo: record.revision });
      expect([again.state, isSuspended(world, 'web-nightly')]).toEqual(['good', false]);
    }
  });

  it('stay suspended if a person has suspended them before', async () => {
    const world = await installed();
    world.cluster.edit(
      {
        apiVersion: 'batch/v1',
        kind: 'CronJob',
        name: 'web-nightly',
        namespace: TINY.namespace,
      },
      ({ spec }) => Object.assign(spec as object, { suspend: true }),
      'kubectl-patch',
    );
    expect((await world.apply(site(ADDS, { release: 'two' }))).state).toBe('good');
    expect(isSuspended(world, 'web-nightly')).toBe(true);
  });

  it('are resumed after ccp was killed at any write', async () => {
    const two = site(DROPS, { release: 'two' });
    for (let at = 0; ; at++) {
      const world = await installed();
      const seen = during(world);
      const { cluster, killed } = killingCluster(world.cluster, at);
      await world.apply(two, {}, cluster).catch(() => undefined);
      if (!killed()) return expect(at).toBeGreaterThan(10);
      expect((await world.apply(two)).state, `killed after write ${at}`).toMatch(/good|unchanged/);
      expect([seen, isSuspended(world, 'web-nightly')]).toEqual([SEEN, false]);
    }
  });
});

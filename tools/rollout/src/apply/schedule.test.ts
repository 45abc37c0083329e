import { expect, it } from 'vitest';
import { TINY, tinySite } from '#site/testing';
import { openStatus, statusNow } from '../status/open-status.ts';
import { statusLines } from '../status/status-text.ts';
import { installed, named, writesOf } from '../testing/tiny-looks.ts';
import { tinyWorld } from '../testing/tiny-world.ts';

const CRON_JOB = {
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  name: 'base-nightly',
  namespace: TINY.namespace,
} as const;

it('creates a CronJob after the workloads that it needs', async () => {
  const world = tinyWorld();
  world.behave({ base: 'no-image' });
  const site = tinySite({ nightly: true });
  expect((await world.apply(site)).state).toBe('failed');
  expect(named(world, 'CronJob', '')).toBeUndefined();
  expect(statusLines(await statusNow(world.cluster, TINY))).toContainEqual(
    expect.stringMatching(/^ {2}· base\/schedule\/nightly +waits for base\/workload\/base$/),
  );
});

it('creates the CronJob as soon as the workloads are ready', async () => {
  const world = await installed({ nightly: true });
  const written = world.events.flatMap((event) =>
    event.type === 'step-ended' || (event.type === 'written' && event.key.startsWith('CronJob'))
      ? [event.type === 'written' ? event.key : event.step]
      : [],
  );
  expect(written.indexOf('CronJob/base-nightly')).toBeGreaterThan(
    written.indexOf('base/workload/base'),
  );
});

it('names a deleted CronJob, and creates it again', async () => {
  const world = await installed({ nightly: true });
  world.cluster.store.remove(CRON_JOB);
  const { well, steps } = await statusNow(world.cluster, TINY);
  expect(well).toBe(false);
  expect(steps.find(({ id }) => id === 'base/schedule/nightly')).toMatchObject({
    instance: 'base',
    state: 'missing',
    reason: 'CronJob/base-nightly does not exist',
  });
  expect((await world.apply(tinySite({ nightly: true }))).state).toBe('good');
  const open = await openStatus(world.cluster, TINY, world.clock);
  expect((await open.now()).well).toBe(true);
  await open.close();
});

it('deletes the CronJob of a schedule that the site no longer has', async () => {
  const world = await installed({ nightly: true });
  await world.apply(tinySite());
  expect(world.cluster.store.get(CRON_JOB)).toBeUndefined();
});

it('changes nothing in a second apply', async () => {
  const world = await installed({ nightly: true });
  const site = tinySite({ nightly: true });
  expect(await writesOf(world, () => world.apply(site))).toEqual([]);
  expect((await world.apply(site)).state).toBe('unchanged');
});

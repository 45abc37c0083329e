import { expect, it } from 'vitest';
import { codeOf } from '#core';
import { killingCluster } from '#rollout/testing';
import { APP, applicationWorld, type ApplicationWorld } from '../testing/application-world.ts';
import { abortApplication } from './abort.ts';
import { applyApplication } from './apply.ts';
import { removeApplication } from './remove.ts';
import { showApplication } from './show.ts';

/** The ways a verb ends that is killed after each of its writes, and then repeated. */
async function killEverywhere(
  prepare: (world: ApplicationWorld) => Promise<unknown>,
  verb: (world: ApplicationWorld, through?: ApplicationWorld['cluster']) => Promise<unknown>,
): Promise<readonly string[]> {
  const base = applicationWorld();
  await prepare(base);
  const ends = new Set<string>();
  for (let at = 0; ; at++) {
    const world = applicationWorld(base);
    const { cluster, killed } = killingCluster(world.cluster, at);
    await verb(world, cluster as ApplicationWorld['cluster']).catch(() => undefined);
    if (!killed()) return [...ends].sort();
    const left = await showApplication(world.cluster, world.clock, APP).catch(() => undefined);
    await verb(world).catch((thrown: unknown) => {
      // The run was killed after its last state.
      if (codeOf(thrown) !== 'application-state') throw thrown;
    });
    const after = await showApplication(world.cluster, world.clock, APP).catch(() => undefined);
    const interrupted = world.notes.some((note) => note.includes(' was left '));
    ends.add(
      `${left?.state ?? 'missing'}${interrupted ? ' named' : ''} -> ${after?.state ?? 'missing'} ${after?.version ?? ''}`,
    );
  }
}

it('continues an upload that was killed after any write', async () => {
  expect(
    await killEverywhere(
      async () => undefined,
      async (world, through) => await world.upload({}, '1.0-0', through),
    ),
  ).toMatchInlineSnapshot(`
    [
      "missing -> uploaded 1.0-0",
      "uploaded -> uploaded 1.0-0",
      "uploading named -> uploaded 1.0-0",
    ]
  `);
});

it('continues an apply that was killed after any write', { timeout: 60_000 }, async () => {
  expect(
    await killEverywhere(
      async (world) => await world.upload({ web: false }),
      async (world, through) => await world.applyApp({}, through),
    ),
  ).toMatchInlineSnapshot(`
    [
      "applied -> applied 1.0-0",
      "applying named -> applied 1.0-0",
      "uploaded -> applied 1.0-0",
    ]
  `);
});

it('continues an update that was killed after any write', { timeout: 60_000 }, async () => {
  expect(
    await killEverywhere(
      async (world) => {
        await world.upload({ web: false });
        await world.applyApp();
      },
      async (world, through) => {
        const { version } = await world.record();
        if (version === '1.0-1' && (await world.record()).state === 'applied') return;
        await world.update({ web: false, bases: 3 }, '1.0-1', {}, through);
      },
    ),
  ).toMatchInlineSnapshot(`
    [
      "applied -> applied 1.0-1",
      "updating named -> applied 1.0-1",
    ]
  `);
});

it('continues a removal that was killed after any write', { timeout: 60_000 }, async () => {
  expect(
    await killEverywhere(
      async (world) => {
        await world.upload({ web: false });
        await world.applyApp();
      },
      async (world, through) =>
        await removeApplication(world.engine(through), APP, async () => undefined),
    ),
  ).toMatchInlineSnapshot(`
    [
      "applied -> uploaded 1.0-0",
      "removing named -> uploaded 1.0-0",
      "uploaded -> uploaded 1.0-0",
    ]
  `);
});

it('ends an apply in the middle', async () => {
  const world = applicationWorld();
  await world.upload({});
  world.behave({ base: 'unready' });
  const running = world.applyApp();
  await world.clock.sleep(20_000);
  expect((await world.record()).state).toBe('applying');
  const refused = await world.applyApp().catch((thrown: unknown) => codeOf(thrown));
  expect(refused).toBe('deploy-locked');
  const aborted = await abortApplication({ ...world.engine(), by: 'admin@host' }, APP);
  expect(aborted).toMatchObject({ state: 'apply-failed', reason: 'aborted by admin@host' });
  expect((await running).record).toMatchObject({ state: 'apply-failed' });
});

it('recovers the version before if an update is aborted', async () => {
  const world = applicationWorld();
  await world.upload({});
  await world.applyApp();
  world.behave({ web: 'unready' });
  const running = world.update({ release: 'two' }, '1.0-1');
  await world.clock.sleep(20_000);
  expect((await world.record()).state).toBe('updating');
  world.behave({});
  const aborted = await abortApplication(world.engine(), APP);
  expect((await running).record).toMatchObject({ state: 'applied', version: '1.0-0' });
  expect(aborted).toMatchObject({ state: 'applied', version: '1.0-0' });
});

it('records the failure of a killed run when it is aborted', async () => {
  const world = applicationWorld();
  await world.upload({});
  const { cluster } = killingCluster(world.cluster, 12);
  await world.applyApp({}, cluster).catch(() => undefined);
  const shown = await showApplication(world.cluster, world.clock, APP);
  expect(shown.state).toBe('applying');
  const aborted = await abortApplication(world.engine(), APP);
  expect(aborted).toMatchObject({
    state: 'apply-failed',
    reason: 'aborted by tester@host; the run of tester@host had been killed',
  });
  const again = await abortApplication(world.engine(), APP).catch((thrown: unknown) =>
    codeOf(thrown),
  );
  expect(again).toBe('application-state');
});

it('stops on Ctrl-C as on an abort', async () => {
  const world = applicationWorld();
  await world.upload({});
  const stop = new AbortController();
  world.behave({ base: 'unready' });
  const engine = world.engine(world.cluster, stop.signal);
  const running = applyApplication(engine, APP, world.steps);
  await world.clock.sleep(20_000);
  expect((await world.record()).state).toBe('applying');
  stop.abort();
  expect((await running).record).toMatchObject({
    state: 'apply-failed',
    reason: 'cancelled by tester@host',
  });
});

import { describe, expect, it, vi } from 'vitest';
import { CcpError } from '#core';
import type { Clock, Cluster } from '#ports';
import { TINY, tinySite } from '#site/testing';
import { installed, refTo, revisions, waitForEvent } from '../testing/tiny-looks.ts';
import { guardedCluster } from './guarded-cluster.ts';
import { takeLock } from './lock.ts';

/** A cluster whose Lease cannot be written for the given seconds once that begins. */
function silenced(cluster: Cluster, clock: Clock, seconds: number) {
  let [since, refused] = [Number.POSITIVE_INFINITY, 0];
  const early: string[] = [];
  const isSilent = (): boolean => clock.now() >= since && clock.now() < since + seconds * 1000;
  const unanswered: Cluster['update'] = async (object, options) => {
    if (object.kind !== 'Lease' || !isSilent()) return await cluster.update(object, options);
    refused += 1;
    throw new CcpError({ code: 'cluster-unreachable', message: 'does not answer' });
  };
  return {
    cluster: {
      ...guardedCluster(
        cluster,
        () => void (isSilent() && clock.now() >= since + 15_000 && early.push(`${clock.now()}`)),
      ),
      update: unanswered,
    },
    begin: () => void (since = clock.now()),
    duringIt: () => refused,
    writesWhileStale: () => early,
  };
}

describe('the lock', () => {
  it('is taken over from a killed run once it expires (lock left by a killed run)', async () => {
    const world = await installed();
    await takeLock(world.cluster, TINY, {
      holder: 'gone@host (run 0)',
      clock: { now: world.clock.now, sleep: () => new Promise(() => undefined) },
      emit: () => undefined,
    });
    const start = world.clock.elapsed();
    expect((await world.apply(tinySite({ colour: 'blue' }))).state).toBe('good');
    expect(
      world.events
        .filter(({ type }) => type === 'lock')
        .map((event) => 'state' in event && event.state),
    ).toEqual(['waiting', 'taken-over', 'released']);
    expect(world.clock.elapsed() - start).toBeLessThan(30);
  });

  it('is taken over immediately if its process has ended', async () => {
    const world = await installed();
    const clock = { now: world.clock.now, sleep: () => new Promise<void>(() => undefined) };
    const process = { mark: 'here/7', hasEnded: () => false };
    await takeLock(world.cluster, TINY, {
      holder: 'gone@host (process 7)',
      process,
      clock,
      emit: () => undefined,
    });
    const locks = (): unknown[] =>
      world.events.flatMap((event) => (event.type === 'lock' ? [event.state] : []));
    await world.apply(tinySite({ colour: 'blue' }), {
      process: { mark: 'here/8', hasEnded: (mark) => mark === 'here/7' },
    });
    expect(locks()).toEqual(['taken-over', 'released']);
  });

  it('is kept while the server does not respond for a time: writes wait, and the run continues', async () => {
    const world = await installed();
    const silence = silenced(world.cluster, world.clock, 40);
    world.behave({ 'web-expand': 'hangs' });
    const running = world.apply(tinySite({ release: 'two' }), {}, silence.cluster);
    await waitForEvent(world, (event) => event.type === 'step-waits');
    silence.begin();
    await world.clock.sleep(30_000);
    world.behave({});
    for (const job of world.cluster.store
      .all()
      .filter(({ kind, metadata }) => kind === 'Job' && metadata.name.startsWith('web-expand')))
      world.cluster.setStatus(refTo('Job', job.metadata.name), {
        conditions: [{ type: 'Complete', status: 'True' }],
      });
    expect((await running).state).toBe('good');
    expect(silence.duringIt()).toBeGreaterThan(3);
    expect(silence.writesWhileStale()).toEqual([]);
  });

  it('ends the run with an error if the server stops answering', async () => {
    const world = await installed();
    const silence = silenced(world.cluster, world.clock, 1000);
    world.behave({ 'web-expand': 'hangs' });
    const running = world.apply(tinySite({ release: 'two' }), {}, silence.cluster);
    await waitForEvent(world, (event) => event.type === 'step-waits');
    silence.begin();
    await expect(running).rejects.toThrow(
      "the API server has not answered for 90 s, so the site's lock could not be renewed; no other holder is known",
    );
  });

  it('is respected while its run lives, and names its holder', async () => {
    const world = await installed();
    const lock = await takeLock(world.cluster, TINY, {
      holder: 'anna@desk (run 7)',
      clock: world.clock,
      emit: () => undefined,
    });
    const onReady = vi.fn<() => void>();
    await expect(world.apply(tinySite({ colour: 'blue' }), { onReady })).rejects.toThrow(
      'anna@desk (run 7) is changing the site "tiny" now',
    );
    expect(onReady).not.toHaveBeenCalled();
    await lock.release();
    await world.apply(tinySite({ colour: 'blue' }), { onReady });
    expect(onReady).toHaveBeenCalledOnce();
  });

  it('stops every further write once it is lost', async () => {
    const world = await installed();
    const thief = (): void =>
      void world.cluster.edit(
        {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          name: 'ccp-tiny',
          namespace: TINY.namespace,
        },
        (object) => Object.assign(object['spec'] as object, { holderIdentity: 'thief' }),
        'thief',
      );
    world.behave({ 'web-expand': 'hangs' });
    const running = world.apply(tinySite({ release: 'two' }));
    await waitForEvent(world, (event) => event.type === 'step-waits');
    thief();
    await expect(running).rejects.toThrow(
      "thief now holds the site's lock: this run did not renew it in time",
    );
    expect(await revisions(world)).toEqual(['1 good', '2 running']);
  });
});

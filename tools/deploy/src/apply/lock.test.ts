import { describe, expect, it, vi } from 'vitest';
import { installed, revisions, told } from '../testing/tiny-looks.ts';
import { TINY, tinySite } from '../testing/tiny-site.ts';
import { takeLock } from './lock.ts';

describe('the lock', () => {
  it('of a killed run is taken over once its time is over (lock left by a killed run)', async () => {
    const world = await installed();
    await takeLock(world.cluster, TINY, {
      holder: 'gone@host (run 0)',
      clock: { now: world.clock.now, sleep: () => new Promise(() => undefined) },
      emit: () => undefined,
    });
    const start = world.clock.elapsed();
    expect((await world.apply(tinySite({ colour: 'blue' }))).state).toBe('good');
    expect(world.events.filter(({ type }) => type === 'lock').map((event) => 'state' in event && event.state)).toEqual(['waiting', 'taken-over', 'released']);
    expect(world.clock.elapsed() - start).toBeLessThan(30);
  });

  it('of a run that lives is respected, by name', async () => {
    const world = await installed();
    const lock = await takeLock(world.cluster, TINY, { holder: 'anna@desk (run 7)', clock: world.clock, emit: () => undefined });
    const onReady = vi.fn<() => void>();
    await expect(world.apply(tinySite({ colour: 'blue' }), { onReady })).rejects.toThrow('anna@desk (run 7) is changing the site "tiny" now');
    expect(onReady).not.toHaveBeenCalled();
    await lock.release();
    await world.apply(tinySite({ colour: 'blue' }), { onReady });
    expect(onReady).toHaveBeenCalledOnce();
  });

  it('that was lost stops every further write', async () => {
    const world = await installed();
    const thief = (): void =>
      void world.cluster.edit(
        { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', name: 'ccp-tiny', namespace: TINY.namespace },
        (object) => Object.assign(object['spec'] as object, { holderIdentity: 'thief' }),
        'thief',
      );
    world.behave({ 'web-expand': 'hangs' });
    const running = world.apply(tinySite({ release: 'two' }));
    await told(world, (event) => event.type === 'step-waits');
    thief();
    await expect(running).rejects.toThrow('the lock of the site could not be renewed in time, another run may hold it now');
    expect(await revisions(world)).toEqual(['1 good', '2 running']);
  });
});
